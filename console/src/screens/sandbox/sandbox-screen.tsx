import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import { Empty } from '../../components/layout/empty';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import * as texts from '../../texts';
import { Carriers } from './carriers';
import { FaultyFiles, GoodFiles } from './files';
import { Parcels } from './parcels';
import { SandboxPartner } from './sandbox-partner';

const t = texts.sandbox;

export function SandboxScreen() {
  const query = useQuery(read('getSandbox', {}));
  return (
    <Screen title={t.title} intro={t.intro}>
      <QueryContent query={query} lines={10}>
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
              <Carriers carriers={sandbox.carriers} />
              <FaultyFiles files={sandbox.faultyFiles} />
              <GoodFiles files={sandbox.files} />
            </>
          )
        }
      </QueryContent>
    </Screen>
  );
}
