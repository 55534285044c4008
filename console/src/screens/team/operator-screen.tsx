import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay, useSession } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { Keys } from '../../components/accounts/keys';
import { DialogButton } from '../../components/forms/dialog-button';
import { DescriptionList } from '../../components/layout/description-list';
import { ErrorAlert } from '../../components/layout/error-alert';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Link } from '../../components/values/link';
import { Age, Time } from '../../components/values/time';
import * as texts from '../../texts';
import { RoleField, roleOf } from './role-field';
import { Sessions } from './sessions';

type Operator = ApiResponse<'listOperators'>['operators'][number];

const route = getRouteApi('/team/$operatorId');
const t = texts.team;
const { columns: names } = t.operators;
/** Days for which the keys of an operator may overlap. */
const OVERLAP_DAYS = [0, 1, 7, 30];

export function OperatorScreen() {
  const { operatorId } = route.useParams();
  const query = useQuery(read('listOperators', {}));
  const operator = query.data?.operators.find(({ id }) => id === operatorId);
  const mayChange = useMay('admin');
  return (
    <Screen
      title={operator?.name ?? operatorId}
      actions={
        operator !== undefined && operator.revokedAt === null && mayChange ? <Changes operator={operator} /> : null
      }
    >
      <QueryContent query={query}>
        {() => (operator === undefined ? <ErrorAlert error={t.notFound} /> : <Details operator={operator} />)}
      </QueryContent>
    </Screen>
  );
}

function Changes({ operator: { id: operatorId, role } }: { readonly operator: Operator }) {
  return (
    <>
      <DialogButton
        name={t.changeRole.name}
        explanation={t.changeRole.explanation}
        button={t.changeRole.button}
        fields={<RoleField chosen={role} />}
        changeOf={({ form }) => change('changeOperator', { params: { operatorId }, body: { role: roleOf(form) } })}
      />
      <DialogButton
        name={t.revoke.name}
        explanation={t.revoke.explanation}
        button={t.revoke.button}
        destructive
        variant="outline"
        changeOf={() => change('revokeOperator', { params: { operatorId } })}
      />
    </>
  );
}

function Details({ operator }: { readonly operator: Operator }) {
  const { id: operatorId, role, revokedAt, lastUsedAt, createdAt } = operator;
  const seesAll = useMay('admin');
  const isOwn = useSession().data?.session?.operator.id === operatorId;
  const keys = useQuery(read('listOperatorKeys', { params: { operatorId } }));
  return (
    <>
      <DescriptionList
        entries={[
          [names.role, texts.common.roles[role]],
          [names.state, revokedAt === null ? t.operators.active : t.operators.revoked],
          [names.used, lastUsedAt === null ? t.operators.never : <Age key="used" at={lastUsedAt} />],
          [names.created, <Time key="created" at={createdAt} />],
          [
            t.audit.title,
            <Link key="audit" to="/team" search={{ actor: operatorId }}>
              {t.auditLog}
            </Link>,
          ],
        ]}
      />
      <Keys
        query={keys}
        overlapDays={OVERLAP_DAYS}
        add={(body) => change('rotateOperatorKey', { params: { operatorId }, body })}
        uses={(keyId) => read('getOperatorKeyUses', { params: { operatorId, keyId } })}
        revoke={(keyId) => change('revokeOperatorKey', { params: { operatorId, keyId } })}
      />
      {isOwn || seesAll ? <Sessions operatorId={operatorId} /> : null}
    </>
  );
}
