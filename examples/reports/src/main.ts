import { readLocalToken } from '@amodal/sdk/files'
import { join } from 'node:path'
import { reportOn } from './report.ts'

/** Prints a report: `node examples/reports/src/main.ts 'City bell'`. */
const [, , product = 'City bell'] = process.argv
const url = process.env['AMODAL_URL'] ?? 'http://127.0.0.1:3847'
const key = process.env['AMODAL_KEY'] ?? readLocalToken(join(import.meta.dirname, '../agent')) ?? ''
const today = new Date().toISOString().slice(0, 10)
const limit = AbortSignal.timeout(300_000)
const { artifact, result } = await reportOn({ url, key }, product, `${product} ${today}`, limit)
process.stdout.write(`${artifact.content_markdown}\n\n${JSON.stringify(result, null, 2)}\n`)
