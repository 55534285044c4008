import { NativeSelect } from '@mantine/core';
import type { OperatorRole } from '../../api/session';
import { texts } from '../../texts';

const t = texts.team;
const ROLES = Object.keys(t.roles) as OperatorRole[];

/** The field `role` of a dialog. */
export function RoleField({ chosen }: { readonly chosen: OperatorRole }) {
  return (
    <NativeSelect
      name="role"
      label={t.add.role}
      defaultValue={chosen}
      data={ROLES.map((value) => ({ value, label: t.roles[value] }))}
    />
  );
}

export const roleOf = (form: FormData): OperatorRole => form.get('role') as OperatorRole;
