import { Context } from '@temporalio/activity';
import type { BulkRepairActivities } from '../../../activities/bulk-repair';
import { loadConfig } from '../../../src/platform/config';
import { connectTemporal } from '../../../src/platform/temporal/connection';
import { inTurn, type ScriptedRun } from '../../support/scripted-runs';
import { testTemporalAddress } from '../../support/servers';

/** The paths through the bulk repair, with scripted activities. test/workflows/record-histories.ts records a history of each. */

interface Scenario extends ScriptedRun {
  readonly steps: { [Step in keyof BulkRepairActivities]: () => Promise<unknown> };
}

const args = [{ bulkRepairId: '019a0000-0000-7000-8000-000000000003' }];
const endBulkRepair = async () => undefined;
let batches = 0;

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'bulk-repair-of-three-batches': {
    workflow: 'bulkRepair',
    args,
    steps: {
      repairNextOrders: inTurn(
        async () => true,
        async () => true,
        async () => false,
      ),
      endBulkRepair,
    },
  },
  'bulk-repair-continued-as-new': {
    workflow: 'bulkRepair',
    args,
    steps: {
      repairNextOrders: async () => {
        batches += 1;
        return batches <= 100;
      },
      endBulkRepair,
    },
  },
  'bulk-repair-canceled': {
    workflow: 'bulkRepair',
    args,
    fails: true,
    steps: {
      repairNextOrders: async () => {
        const context = Context.current();
        const { info, cancelled } = context;
        const temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
        await temporal.workflow.getHandle(info.workflowExecution!.workflowId).cancel();
        await temporal.connection.close();
        const timer = setInterval(() => context.heartbeat(), 200);
        try {
          return await cancelled;
        } finally {
          clearInterval(timer);
        }
      },
      endBulkRepair,
    },
  },
};
