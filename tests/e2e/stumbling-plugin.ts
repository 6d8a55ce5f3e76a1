import { existsSync, writeFileSync } from 'node:fs'
import { definePlugin, defineTool, SessionStore, Tools } from '@amodal/sdk'
import { z } from 'zod'

/**
 * Has its own session set aside the first time it is called there, as one that stopped its server
 * again and again; the marks of that are in `MARKS`.
 */
export default definePlugin({
  name: 'stumbling',
  version: '1.0.0',
  provides: [Tools],
  requires: { store: SessionStore },
  setup({ add, deps: { store } }) {
    const stumble = defineTool({
      name: 'stumble',
      description: 'Stumbles.',
      readOnly: true,
      input: z.object({}),
      async execute(_, { tenant, session, signal }) {
        const mark = `${process.env['MARKS'] ?? ''}/${session}`
        if (existsSync(mark)) return { status: 'success', output: 'well' }
        writeFileSync(mark, '')
        const sessionRecord = await store.sessionRecord({ tenant, session }, signal)
        const fencingToken = sessionRecord.ok ? (sessionRecord.value?.fencingToken ?? 0) : 0
        await store.setAside(
          { tenant, session, fencingToken },
          {
            code: 'RUN_SET_ASIDE',
            message: 'it stopped its server 3 times',
            crashes: 3,
            at: Date.now(),
          },
          signal,
        )
        return { status: 'success', output: 'nobody hears this' }
      },
    })
    add(Tools, 'stumbling', { tools: () => [stumble] })
  },
})
