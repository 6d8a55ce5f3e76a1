import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { disguiseLines } from './disguise-lines.ts'
import { leakLines } from './leak-lines.ts'
import { scannerLines } from './scanner-lines.ts'
import { streamLines } from './stream-lines.ts'

const jsonl = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** The data files by name, as text; always the same. */
export const corpus = (): Readonly<Record<string, string>> => ({
  'scanner.jsonl': jsonl(scannerLines()),
  'leaks.jsonl': jsonl(leakLines()),
  'disguises.jsonl': jsonl(disguiseLines()),
  'stream.jsonl': jsonl(streamLines()),
})

if (import.meta.main) {
  for (const [name, text] of Object.entries(corpus()))
    await writeFile(join(import.meta.dirname, name), text)
}
