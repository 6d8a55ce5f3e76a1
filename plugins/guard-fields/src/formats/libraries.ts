import { createRequire } from 'node:module'
import type * as Csv from 'csv-parse/sync'
import type * as Html from 'htmlparser2'
import type * as Yaml from 'yaml'

// They are large, and most answers are JSON: each is loaded by the first text that needs it, in the
// middle of a look that waits for nothing.
const load = createRequire(import.meta.url)

export const csv = (): typeof Csv => load('csv-parse/sync') as typeof Csv
export const html = (): typeof Html => load('htmlparser2') as typeof Html
export const yaml = (): typeof Yaml => load('yaml') as typeof Yaml
