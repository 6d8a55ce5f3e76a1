import { randomUUID } from 'node:crypto'
import {
  type AuditTrail,
  type Clock,
  LOCAL_TENANT,
  type Refusal,
  type RefusalListener,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/**
 * ms in which refusals of one kind and client become one line, so that requests cannot flood the
 * log.
 */
const GATHER_MS = 60_000
/** Clients counted separately; further ones are counted together. */
const MOST_APART = 1_000

/** Records refused requests. */
export function refusals(
  trail: AuditTrail,
  clock: Clock,
): { readonly hear: RefusalListener; readonly open: () => void; readonly close: () => void } {
  let gathered = new Map<string, { readonly refusal: Refusal; count: number }>()
  const flush = (): void => {
    const batch = gathered
    gathered = new Map()
    for (const {
      refusal: { code, method, path, from, principal },
      count,
    } of batch.values()) {
      trail.record({
        tenant: LOCAL_TENANT,
        kind: 'request_refused',
        key: `refused:${randomUUID()}`,
        at: clock.now(),
        ...(principal === undefined ? {} : { principal }),
        data: {
          code,
          count,
          method,
          path: textStart(path, 200),
          ...(from === undefined ? {} : { from }),
        },
      })
    }
  }
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    open() {
      timer = setInterval(flush, GATHER_MS)
      timer.unref()
    },
    hear(refusal) {
      const { code, from = '', principal = '' } = refusal
      const own = `${code} ${from} ${principal}`
      const key = gathered.size < MOST_APART || gathered.has(own) ? own : code
      const known = gathered.get(key)
      if (known) known.count++
      else gathered.set(key, { refusal, count: 1 })
    },
    close() {
      clearInterval(timer)
      flush()
    },
  }
}
