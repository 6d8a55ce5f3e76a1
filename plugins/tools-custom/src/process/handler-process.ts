import { StringDecoder } from 'node:string_decoder'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import {
  err,
  failure,
  messageOf,
  ok,
  sleep,
  type Failure,
  type Json,
  type JsonObject,
  type Lease,
  type Result,
  atMost,
  onAbort,
} from '@amodal/sdk'
import { textEnd } from '@amodal/sdk/data'
import { killGroup } from './kill-group.ts'
import type { Command } from './launcher.ts'
import { readLines } from './lines.ts'
import {
  FromChild,
  type HandlerRequest,
  type CallContext,
  type GuardContext,
  type HandlerNotice,
  type ToChild,
} from './messages.ts'

export interface ProcessLimits {
  /** ms from the start to the loaded handler. */
  readonly startMs: number
  /** Bytes that one call may write to standard output and error. */
  readonly outputBytes: number
  /** Bytes of one message. */
  readonly messageBytes: number
}

/** One call of a handler. */
export interface Job {
  readonly params: JsonObject
  readonly context: CallContext | GuardContext
  /** Of the session that it is done for: read in the tick that hands the call over. */
  readonly lease?: Lease
  /** Called when the code begins to work on it. */
  readonly begun?: () => void
}

/** Carries out requests of a handler. */
export interface Helper {
  request(
    what: HandlerRequest,
  ): Promise<Result<Json, Pick<Failure, 'message'> & { readonly code: string }>>
  notify(what: HandlerNotice): void
  /** The time that a durable call is shown, ms since 1970. */
  readonly time?: number | undefined
}

export type Outcome =
  | { readonly kind: 'result'; readonly value: Json }
  | {
      readonly kind: 'threw'
      readonly message: string
      readonly code?: string
      /** Frames of its own code. */
      readonly stack?: string
    }
  | { readonly kind: 'died'; readonly reason: string }
  /** The call was not sent: this process no longer holds the session lease. */
  | { readonly kind: 'lapsed' }

interface Active {
  readonly call: number
  readonly helper: Helper
  readonly settle: (outcome: Outcome) => void
  asking: number
  bytes: number
  told: number
}

export type StartMessage = Omit<Extract<ToChild, { type: 'start' }>, 'type'>
export interface LoadFailure extends Failure {
  readonly file?: string
  readonly line?: number
}

const MOST_PENDING_REQUESTS = 64
const MOST_NOTICES = 1_000
const MOST_MESSAGES = 4 // of the largest size, in one call
/** Time from the request to stop until the process is killed. */
const GRACE_MS = 200
const TAIL = 2_000

/**
 * A process with one handler in it, loaded and warm. It takes one call at a time, and whatever goes
 * wrong in it ends it alone.
 */
export class HandlerProcess {
  /** The fields of `defineToolHandler`, where it was asked for them. */
  definition: JsonObject | undefined
  calls = 0
  readonly #child: ChildProcess
  readonly #channel: Socket
  readonly #limits: ProcessLimits
  readonly #ended = Promise.withResolvers<string>()
  readonly #loaded = Promise.withResolvers<Result<HandlerProcess, LoadFailure>>()
  #active: Active | undefined
  #why: string | undefined
  #dead = false
  #gone = false
  #tail = ''
  #written = 0

  readonly #after: (() => void) | undefined

  private constructor(
    child: ChildProcess,
    channel: Socket,
    limits: ProcessLimits,
    after: (() => void) | undefined,
  ) {
    this.#after = after
    this.#child = child
    this.#channel = channel
    this.#limits = limits
    readLines(
      channel,
      limits.messageBytes,
      (value, bytes) => this.#heard(value, bytes),
      (why) => this.kill(why),
    )
    channel.on('error', () => undefined) // its end says what there is to say
    for (const stream of [child.stdout, child.stderr]) {
      // a character may be cut between two chunks
      const decoder = new StringDecoder('utf8')
      stream?.on('data', (chunk: Buffer) => this.#wrote(decoder.write(chunk), chunk.length))
    }
    child.once('error', (cause) => this.#end(`cannot be started: ${messageOf(cause)}`))
    child.once('exit', (code, signal) => void this.#exited(code, signal))
  }

  /** Starts a process and loads the handler in it. */
  static async start(
    { file, args, after }: Command,
    cwd: string,
    message: StartMessage,
    limits: ProcessLimits,
    signal: AbortSignal,
  ): Promise<Result<HandlerProcess, LoadFailure>> {
    if (signal.aborted) {
      after?.()
      return err(failure('CANCELLED', 'the call was stopped'))
    }
    // Its variables are sent through its channel, so that they cannot affect the sandbox programs.
    const child = spawn(file, args, {
      cwd,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const channel = child.stdio[3]
    if (!(channel instanceof Socket))
      return err(failure('INTERNAL', 'a handler process has no channel'))
    const started = new HandlerProcess(child, channel, limits, after)
    const timer = setTimeout(
      () => started.kill(`was not loaded within ${limits.startMs} ms`),
      limits.startMs,
    )
    timer.unref()
    const leave = onAbort(signal, () => started.kill('was stopped while it started'))
    started.#send({ type: 'start', ...message })
    const loaded = await Promise.race([
      started.#loaded.promise,
      started.#ended.promise.then((reason) => err(failure('TOOL_FAILED', reason))),
    ])
    clearTimeout(timer)
    leave()
    if (!loaded.ok) started.kill('it is of no use')
    return loaded
  }

  get dead(): boolean {
    return this.#dead || this.#why !== undefined
  }

  /** Resolves when it is gone. */
  get ended(): Promise<string> {
    return this.#ended.promise
  }

  /**
   * Runs the handler once. Never rejects; when `signal` aborts, the handler is notified, and killed
   * after a grace period.
   */
  async call(
    { params, context, lease, begun }: Job,
    helper: Helper,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (lease && lease.remainingMs() <= lease.margin) return { kind: 'lapsed' }
    const call = ++this.calls
    this.#keepsAlive(true)
    this.#written = 0
    const outcome = Promise.withResolvers<Outcome>()
    this.#active = { call, helper, settle: outcome.resolve, asking: 0, bytes: 0, told: 0 }
    const leave = onAbort(signal, () => {
      this.#send({ type: 'abort', call })
      void sleep(GRACE_MS).then(() => {
        if (this.#active?.call === call) this.kill('did not stop when it was told to')
      })
    })
    begun?.()
    this.#send({ type: 'call', call, params, context })
    const settled = await Promise.race([
      outcome.promise,
      this.#ended.promise.then((reason): Outcome => ({ kind: 'died', reason })),
    ])
    leave()
    this.#active = undefined
    this.#keepsAlive(false)
    return settled
  }

  /** Ends it at once, with all that it has started. */
  kill(why: string): void {
    this.#why ??= why
    if (!this.#dead) killGroup(this.#child)
  }

  #heard(value: unknown, bytes: number): void {
    const read = FromChild.safeParse(value)
    if (!read.success) return this.kill('sent a message that is none')
    const message = read.data
    switch (message.type) {
      case 'ready':
        this.definition = message.definition
        this.#keepsAlive(false)
        return this.#loaded.resolve(ok(this))
      case 'failed': {
        const { file, line } = message
        return this.#loaded.resolve(
          err({
            ...failure('TOOL_FAILED', message.message),
            ...(file !== undefined && { file }),
            ...(line !== undefined && { line }),
          }),
        )
      }
      case 'crashed':
        return this.kill(`broke down: ${message.message}`)
      default:
        return this.#heardOf(message, bytes)
    }
  }

  /** Handles a message of a call; messages after its end are ignored. */
  #heardOf(message: Extract<FromChild, { call: number }>, bytes: number): void {
    const active = this.#active
    if (active?.call !== message.call) return
    active.bytes += bytes
    if (active.bytes > MOST_MESSAGES * this.#limits.messageBytes)
      return this.kill(
        `sent more than ${MOST_MESSAGES * this.#limits.messageBytes} bytes in one call`,
      )
    switch (message.type) {
      case 'result':
        return active.settle({ kind: 'result', value: message.value })
      case 'threw':
        return active.settle({
          kind: 'threw',
          message: message.message,
          ...(message.code !== undefined && { code: message.code }),
          ...(message.stack !== undefined && { stack: message.stack }),
        })
      case 'tell':
        return this.#told(active, message.what)
      case 'ask':
        return void this.#asked(active, message.id, message.what)
    }
  }

  #told(active: Active, what: HandlerNotice): void {
    if (++active.told < MOST_NOTICES) return active.helper.notify(what)
    if (active.told === MOST_NOTICES)
      active.helper.notify({
        op: 'log',
        message: `… [${MOST_NOTICES} messages; the rest is left out]`,
      })
  }

  async #asked(active: Active, id: number, what: HandlerRequest): Promise<void> {
    if (++active.asking > MOST_PENDING_REQUESTS)
      return this.kill(`asked for more than ${MOST_PENDING_REQUESTS} things at once`)
    const answer = await active.helper
      .request(what)
      .catch((cause: unknown) => err(failure('INTERNAL', messageOf(cause))))
    active.asking--
    const { time } = active.helper
    const about = {
      type: 'answer',
      call: active.call,
      id,
      ...(time !== undefined && { at: time }),
    } as const
    this.#send(
      answer.ok
        ? { ...about, ok: true, value: answer.value }
        : { ...about, ok: false, code: answer.error.code, message: answer.error.message },
    )
  }

  #send(message: ToChild): void {
    if (!this.#dead && this.#channel.writable) this.#channel.write(`${JSON.stringify(message)}\n`)
  }

  #wrote(text: string, bytes: number): void {
    this.#tail = textEnd(this.#tail + text, TAIL)
    this.#written += bytes
    if (this.#written > this.#limits.outputBytes)
      this.kill(`wrote more than ${this.#limits.outputBytes} bytes to its output`)
  }

  /**
   * Its last messages may still be on their way; whoever else holds its channel is not waited for.
   */
  async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.#dead = true
    killGroup(this.#child) // those that it left behind
    if (!this.#channel.closed)
      await atMost(
        100,
        once(this.#channel, 'close').catch(() => undefined),
      )
    this.#end(this.#why ?? reasonOf(code, signal, this.#tail))
  }

  #end(reason: string): void {
    if (!this.#gone) this.#after?.()
    this.#gone = true
    this.#dead = true
    for (const stream of this.#child.stdio) stream?.destroy()
    this.#ended.resolve(reason)
  }

  /** A process that only waits keeps nobody from ending. */
  #keepsAlive(it: boolean): void {
    for (const stream of [this.#channel, this.#child.stdout, this.#child.stderr])
      if (stream instanceof Socket) stream[it ? 'ref' : 'unref']()
    this.#child[it ? 'ref' : 'unref']()
  }
}

function reasonOf(code: number | null, signal: NodeJS.Signals | null, tail: string): string {
  if (/heap out of memory|MemoryError|Failed to allocate memory/i.test(tail))
    return 'ran out of memory'
  const last = tail
    .trim()
    .split('\n')
    .findLast((line) => /\w*(?:Error|Exception)\b/.test(line))
    ?.trim()
  const how =
    signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was ended by ${signal}`
  return last === undefined ? `${how} and gave no answer` : `${how}: ${last}`
}
