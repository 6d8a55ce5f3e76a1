import { StringDecoder } from 'node:string_decoder'
import { textStart } from '@amodal/sdk/data'

/** Characters of one line; the rest of it is dropped. */
const LONGEST = 1_000

/** Splits chunks into lines and passes on each one that is not blank. */
export function linesOf(onLine: (line: string) => void): (chunk: Buffer) => void {
  let held = ''
  // a character may be cut between two chunks
  const decoder = new StringDecoder('utf8')
  return (chunk) => {
    const lines = (held + decoder.write(chunk)).split('\n')
    held = textStart(lines.pop() ?? '', LONGEST)
    for (const line of lines) if (line.trim() !== '') onLine(textStart(line.trimEnd(), LONGEST))
  }
}
