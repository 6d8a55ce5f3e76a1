import { announce, definePlugin, LOCAL_TENANT } from '@amodal/sdk'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Bytes of an event's name. */
const wide = 'x'.repeat(280)

/**
 * `POST /bench/announce?count=1000`: so much has changed at once, which no turns of a bench could
 * make happen.
 */
export const benchEventsPlugin = definePlugin({
  name: 'bench-events',
  version: '0.0.0',
  setup({ hooks, generation }) {
    hooks.http.routes.tap((table) =>
      table.mount('/bench/announce', {
        async fetch(request) {
          const count = Number(new URL(request.url).searchParams.get('count'))
          for (let n = 1; n <= count; n += 1) {
            announce(
              generation(),
              { type: 'store_updated', storeName: `${wide}${n}`, operation: 'put' },
              { tenant: LOCAL_TENANT },
            )
            if (n % 100 === 0) await nextTurn()
          }
          return Response.json({ count })
        },
      }),
    )
  },
})

export default benchEventsPlugin
