import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { read } from '../../api/queries';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { texts } from '../../texts';
import { Files } from './files';
import { Parcels } from './parcels';
import { SandboxPartner } from './sandbox-partner';

export type Sandbox = NonNullable<Answer<'getSandbox'>['sandbox']>;

const t = texts.sandbox;

export function SandboxScreen() {
  const query = useQuery(read('getSandbox', {}));
  return (
    <Screen title={t.title} intro={t.intro}>
      <Loaded query={query} lines={10}>
        {({ sandbox }) =>
          sandbox === null ? (
            <Empty title={t.notRunning} text={t.notRunningText} />
          ) : (
            <>
              <Text size="sm">{t.modes[sandbox.mode]}</Text>
              {sandbox.partners.map((partner) => (
                <SandboxPartner key={partner.name} partner={partner} behaviours={sandbox.behaviours} />
              ))}
              <Parcels sandbox={sandbox} />
              <Files title={t.files.faulty} files={sandbox.faultyFiles} />
              <Files title={t.files.title} files={sandbox.files} />
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}
