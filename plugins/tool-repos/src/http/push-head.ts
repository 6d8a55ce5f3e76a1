import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { FLUSH } from './packet-lines.ts'

/** One ref that a push changes. */
export interface RefCommand {
  readonly ref: string
  readonly kind: 'create' | 'update' | 'delete'
}

/** The first part of a push: what it changes. The objects follow it. */
export interface PushHead {
  readonly commands: readonly RefCommand[]
  readonly capabilities: ReadonlySet<string>
  /** The bytes that were read, which git reads as well. */
  readonly bytes: Buffer
}

/** Bytes of this part. */
const MAX_BYTES = 1_048_576
const COMMAND = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) ([^\0]+?)\n?$/
const SHALLOW = /^shallow [0-9a-f]{40,64}\n?$/
const ZERO = /^0+$/

const bad = (what: string): Result<never, Failure> =>
  err(failure('VALIDATION_ERROR', `body: is not a push of git: ${what}`))

/** Reads what a push changes from the beginning of its body. */
export async function readPushHead(
  body: AsyncIterator<Uint8Array>,
): Promise<Result<PushHead, Failure>> {
  const reader = new HeadReader(body)
  const commands: RefCommand[] = []
  let capabilities: ReadonlySet<string> = new Set()
  for (;;) {
    const length = await reader.take(4)
    if (length === undefined) return bad('it ends early, or its list of refs is too long')
    if (length === FLUSH) return ok({ commands, capabilities, bytes: reader.bytes() })
    const size = /^[0-9a-f]{4}$/i.test(length) ? Number.parseInt(length, 16) : 0
    const line = size > 4 ? await reader.take(size - 4) : undefined
    if (line === undefined) return bad('a packet is malformed')
    if (SHALLOW.test(line)) continue
    const at = line.indexOf('\0')
    if (at >= 0 && commands.length === 0)
      capabilities = new Set(
        line
          .slice(at + 1)
          .trim()
          .split(' '),
      )
    const [, from = '', to = '', ref = ''] = COMMAND.exec(at < 0 ? line : line.slice(0, at)) ?? []
    if (ref === '') return bad('a line names no ref')
    commands.push({ ref, kind: kindOf(from, to) })
  }
}

function kindOf(from: string, to: string): RefCommand['kind'] {
  if (ZERO.test(to)) return 'delete'
  return ZERO.test(from) ? 'create' : 'update'
}

/** Reads as much of a body as it needs. */
class HeadReader {
  readonly #body: AsyncIterator<Uint8Array>
  #buffer: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(body: AsyncIterator<Uint8Array>) {
    this.#body = body
  }

  /** The next bytes, as text; `undefined` where there are not so many. */
  async take(size: number): Promise<string | undefined> {
    while (this.#buffer.byteLength < this.#at + size) {
      if (this.#buffer.byteLength > MAX_BYTES) return undefined
      const next = await this.#body.next()
      if (next.done === true) return undefined
      this.#buffer = Buffer.concat([this.#buffer, next.value])
    }
    if (this.#at + size > MAX_BYTES) return undefined
    const text = this.#buffer.toString('utf8', this.#at, this.#at + size)
    this.#at += size
    return text
  }

  /** All that was read, which may be more than was taken. */
  bytes(): Buffer {
    return this.#buffer
  }
}
