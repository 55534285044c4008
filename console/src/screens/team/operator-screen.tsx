import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Answer, call } from '../../api/call';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import { Act } from '../../components/act';
import { ErrorAlert } from '../../components/error-alert';
import { Facts } from '../../components/facts';
import { Keys } from '../../components/keys';
import { Link } from '../../components/link';
import { Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Age, Time } from '../../components/time';
import { texts } from '../../texts';
import { RoleField, roleOf } from './role-field';

type Operator = Answer<'listOperators'>['operators'][number];

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
        operator !== undefined && operator.revokedAt === null && mayChange ? (
          <Changes operator={operator} />
        ) : null
      }
    >
      <Loaded query={query}>
        {() => (operator === undefined ? <ErrorAlert error={t.notFound} /> : <Details operator={operator} />)}
      </Loaded>
    </Screen>
  );
}

function Changes({ operator: { id: operatorId, role } }: { readonly operator: Operator }) {
  return (
    <>
      <Act
        name={t.changeRole.name}
        explanation={t.changeRole.explanation}
        button={t.changeRole.button}
        fields={<RoleField chosen={role} />}
        run={({ form, idempotencyKey }) =>
          call('changeOperator', { params: { operatorId }, body: { role: roleOf(form) } }, { idempotencyKey })
        }
      />
      <Act
        name={t.revoke.name}
        explanation={t.revoke.explanation}
        button={t.revoke.button}
        variant="outline"
        run={({ idempotencyKey }) => call('revokeOperator', { params: { operatorId } }, { idempotencyKey })}
      />
    </>
  );
}

function Details({ operator }: { readonly operator: Operator }) {
  const { id: operatorId, role, revokedAt, lastUsedAt, createdAt } = operator;
  const keys = useQuery(read('listOperatorKeys', { params: { operatorId } }));
  return (
    <>
      <Facts
        facts={[
          [names.role, texts.common.roles[role]],
          [names.state, revokedAt === null ? t.operators.active : t.operators.revoked],
          [names.used, lastUsedAt === null ? t.operators.never : <Age key="used" at={lastUsedAt} />],
          [names.created, <Time key="created" at={createdAt} />],
          [
            t.audit.title,
            <Link key="acts" to="/team" search={{ actor: operatorId }}>
              {t.acts}
            </Link>,
          ],
        ]}
      />
      <Keys
        query={keys}
        overlapDays={OVERLAP_DAYS}
        issue={(body, idempotencyKey) =>
          call('rotateOperatorKey', { params: { operatorId }, body }, { idempotencyKey })
        }
        revoke={(keyId, idempotencyKey) =>
          call('revokeOperatorKey', { params: { operatorId, keyId } }, { idempotencyKey })
        }
      />
    </>
  );
}
