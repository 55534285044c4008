import type { OperatorRole } from '../../api/session';
import { choiceOf, optionsOf, Select } from '../../components/forms/select';
import * as texts from '../../texts';

const t = texts.team;
const OPTIONS = optionsOf<OperatorRole>(t.roles);

/** The field `role` of a dialog. */
export function RoleField({ chosen }: { readonly chosen: OperatorRole }) {
  return <Select name="role" label={t.add.role} value={chosen} options={OPTIONS} />;
}

export const roleOf = (form: FormData): OperatorRole => choiceOf(form, 'role', OPTIONS) ?? 'viewer';
