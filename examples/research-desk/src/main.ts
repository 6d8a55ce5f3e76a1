import { readLocalToken } from '@amodal/sdk/files'
import { join } from 'node:path'
import { research } from './research.ts'

/** Prints a report: `node examples/research-desk/src/main.ts 'Do heat pumps pay in old houses?'`. */
const [, , question = 'Which efficiency do heat pumps reach in houses from before 1960?'] =
  process.argv
const url = process.env['AMODAL_URL'] ?? 'http://127.0.0.1:3847'
const key = process.env['AMODAL_KEY'] ?? readLocalToken(join(import.meta.dirname, '../agent')) ?? ''
const today = new Date().toISOString().slice(0, 10)
const limit = AbortSignal.timeout(300_000)
const { artifact, result } = await research({ url, key }, question, `${question} ${today}`, limit)
const sources = artifact.citations.map(({ quote, source }) => `“${quote}” (${source.kind})`)
process.stdout.write(
  `${[artifact.content_markdown, ...sources].join('\n\n')}\n\n${JSON.stringify(result, null, 2)}\n`,
)
