/**
 * A PGlite on an empty folder with nothing to help it start: what a shipped database image is held
 * against.
 */

import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import { PGlite } from '@electric-sql/pglite'

import { announce, answerProbes } from '../probe.ts'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, folder: { type: 'string', default: '' } },
})

const database = await PGlite.create(values.folder)
await database.query('select 1')

answerProbes()
createServer().listen(Number(values.port), '127.0.0.1', () => announce(Number(values.port)))
