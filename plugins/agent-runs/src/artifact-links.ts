import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  err,
  failure,
  ok,
  tenantId,
  type Clock,
  type Failure,
  type Result,
  type Sealer,
  type TenantId,
} from '@amodal/sdk'
import { z } from 'zod'

/** Where links lead to; whoever has one needs no credential. */
export const LINK_PATH = '/api/platform/v1/artifact-links'

const PURPOSE = 'agent-runs artifact links'
/** No link is as long. */
const MOST_CHARS = 2_000

/** What a link opens: one version, until it expires. */
export interface Linked {
  readonly tenant: TenantId
  readonly id: string
  readonly version: number
}

const Payload = z.tuple([z.string(), z.string(), z.int(), z.int()])

interface LinkParts {
  readonly clock: Pick<Clock, 'now'>
  readonly sealer: Sealer
  /** Origin of this server as others reach it. */
  readonly publicUrl: string | undefined
}

/**
 * Signed links to artifacts: what they open and until when stands in them, under an HMAC-SHA-256
 * with a key that is derived from the master key.
 */
export class ArtifactLinks {
  readonly #parts: LinkParts

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  /**
   * @param expires ms since the epoch; links count seconds
   * @param origin of the request, where the configuration names none
   */
  make({ tenant, id, version }: Linked, expires: number, origin?: string): Result<string, Failure> {
    const base = this.#parts.publicUrl ?? origin
    if (base === undefined)
      return err(failure('BAD_CONFIG', '`artifacts.publicUrl` of agent-runs is not set'))
    const claim: z.input<typeof Payload> = [tenant, id, version, Math.floor(expires / 1_000)]
    const payload = Buffer.from(JSON.stringify(claim)).toString('base64url')
    const signature = this.#sign(payload)
    return signature.ok
      ? ok(new URL(`${LINK_PATH}/${payload}.${signature.value}`, base).href)
      : signature
  }

  /** @returns `undefined` for whatever is not a link of this server that is still good */
  read(token: string): Linked | undefined {
    const [payload = '', given = '', ...more] = token.split('.')
    if (token.length > MOST_CHARS || more.length > 0) return undefined
    const wanted = this.#sign(payload)
    // As text: base64 has several spellings of the same bytes.
    if (!wanted.ok || !isSame(given, wanted.value)) return undefined
    const claim = Payload.safeParse(jsonOf(payload))
    if (!claim.success) return undefined
    const [tenant, id, version, expires] = claim.data
    return this.#parts.clock.now() < expires * 1_000
      ? { tenant: tenantId(tenant), id, version }
      : undefined
  }

  #sign(payload: string): Result<string, Failure> {
    const key = this.#parts.sealer.key(PURPOSE)
    return key.ok ? ok(createHmac('sha256', key.value).update(payload).digest('base64url')) : key
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function jsonOf(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
