import { mkdir } from 'node:fs/promises'
import dbPglite from '@amodal/plugin-db-pglite'
import sessions from '@amodal/plugin-sessions'
import { definePlugin, use } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { start } from './world.ts'

/**
 * A server that counts one run and dies of `kill -9` at the end of the fourth: the rows of three
 * have not been written by then.
 */
const [, , dataDir = ''] = process.argv
await mkdir(dataDir, { recursive: true })

let ended = 0
const dying = definePlugin({
  name: 'dying',
  version: '1.0.0',
  setup({ hooks }) {
    hooks.run.end.tap(() => {
      if (++ended === 4) process.kill(process.pid, 'SIGKILL')
    })
  },
})
const door = await start({
  storage: [use(dbPglite, { dataDir }), use(sessions)],
  script: reply.text('It is 42.', { usage: { promptTokens: 1_000, completionTokens: 100 } }),
  entries: [use(dying)],
})
const session = await door.say('One')
await door.json('/api/usage') // writes the row
await door.say('Two', undefined, session)
await door.say('Three', { tenant: 'other' })
await door.say('Four', undefined, session)
