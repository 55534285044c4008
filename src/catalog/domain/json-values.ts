/** One top-level value of a JSON file: a line of JSON Lines, or an element of one array. */
export interface JsonValue {
  /** Line of the file on which the value begins, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Splits a stream of JSON text into the texts of its objects: the elements of one array, or consecutive objects (JSON
 * Lines). The caller parses each text. Anything between objects, except commas, brackets and white space, is returned
 * as a separate text, which the caller then finds not to be JSON.
 *
 * Not stream-json 3.8.0: its tokens carry no line numbers, and it cannot continue after invalid JSON.
 */
export async function* readJsonObjects(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<JsonValue> {
  let line = 1;
  let begun = 1;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let pieces = '';
  for await (const chunk of text) {
    let from = depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk[at]!;
      if (character === '\n') line += 1;
      if (depth === 0) {
        if (character === '{') {
          if (pieces !== '') yield { line: begun, text: pieces };
          pieces = '';
          begun = line;
          depth = 1;
          from = at;
        } else if (!/[\s,[\]\uFEFF]/.test(character)) {
          if (pieces === '') begun = line;
          pieces += character;
        } else if (pieces !== '') {
          yield { line: begun, text: pieces };
          pieces = '';
        }
      } else if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') {
        inString = true;
      } else if (character === '{') {
        depth += 1;
      } else if (character === '}') {
        depth -= 1;
        if (depth === 0) {
          yield { line: begun, text: pieces + chunk.slice(from, at + 1) };
          pieces = '';
          from = -1;
        }
      }
    }
    if (depth > 0) pieces += chunk.slice(from);
  }
  if (pieces !== '') yield { line: begun, text: pieces };
}
