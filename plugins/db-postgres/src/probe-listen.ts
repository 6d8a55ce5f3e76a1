import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { messageOf, timeLimit, tryAsync, type Checkup } from '@amodal/sdk'
import { listenText } from '@amodal/sdk/database'

const CHANNEL = 'amodal_doctor'
const WAIT_MS = 3_000
const TITLE = 'LISTEN and NOTIFY'

/** Whether what one connection notifies reaches another that listens. */
export async function listenCheckup(
  connect: () => Client,
  isUsed: boolean,
): Promise<readonly Checkup[]> {
  if (!isUsed)
    return [
      {
        title: `${TITLE}: not used ("listen": false), changes are found by polling`,
        ok: true,
        lines: [],
      },
    ]
  const [here, there] = [connect(), connect()]
  const tried = await tryAsync(async () => {
    await Promise.all([here.connect(), there.connect()])
    await here.query(listenText('listen', CHANNEL))
    const word = randomUUID()
    const heard = once(here, 'notification', { signal: timeLimit(WAIT_MS, 'a notification') })
    heard.catch(() => undefined) // told below
    await there.query('select pg_notify($1, $2)', [CHANNEL, word])
    await heard
  }, messageOf)
  await Promise.all([here, there].map((one) => one.end().catch(() => undefined)))
  if (tried.ok) return [{ title: `${TITLE}: work`, ok: true, lines: [] }]
  return [
    {
      title: `${TITLE}: nothing arrives`,
      ok: false,
      lines: [
        tried.error,
        'a pooler in transaction mode is between: connect past it, use session mode, or set "listen": false for db-postgres (and "prepare": false for PgBouncer before 1.21)',
      ],
    },
  ]
}
