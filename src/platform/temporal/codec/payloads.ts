import {
  BinaryPayloadConverter,
  CompositePayloadConverter,
  encodingKeys,
  JsonPayloadConverter,
  METADATA_ENCODING_KEY,
  type Payload,
  UndefinedPayloadConverter,
} from '@temporalio/common';
import { encode } from '@temporalio/common/lib/encoding';
import { cleanJson } from '../../domain/foreign-text';

/** Converts values to JSON with clean strings (`cleanText`): Postgres refuses the others. */
class CleanJsonConverter extends JsonPayloadConverter {
  override toPayload(value: unknown): Payload | undefined {
    if (value === undefined) return undefined;
    return {
      metadata: { [METADATA_ENCODING_KEY]: encodingKeys.METADATA_ENCODING_JSON },
      data: encode(cleanJson(JSON.stringify(value))),
    };
  }
}

/** Converts arguments, results and heartbeat details, in workflow code and outside. */
export const payloadConverter = new CompositePayloadConverter(
  new UndefinedPayloadConverter(),
  new BinaryPayloadConverter(),
  new CleanJsonConverter(),
);
