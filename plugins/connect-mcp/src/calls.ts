import { type Failure, type Lease, onAbort } from '@amodal/sdk'
import {
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Client,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  type RequestOptions,
} from '@modelcontextprotocol/client'
import type { AsyncLocalStorage } from 'node:async_hooks'
import type { Elicitation } from './elicitation.ts'
import type { Called, CallRequest, Lending, Round, ToolCall } from './call.ts'
import { LapsedError, UnansweredError, UnshowableError } from './call-errors.ts'
import { Addresses, addressesIn } from './addresses.ts'
import { answersTo, questionIn, readIn } from './questions.ts'
import { isHeld } from './is-held.ts'
import type { AskedParams } from './asked-params.ts'
import { samplingQuestion } from './sampling.ts'
import type { SentForms } from './sent-forms.ts'
import { traced, type ConnectionFacts, type RequestMeta, type Subject } from './traced.ts'

/** The lease of the call that is being sent: what writes it looks at it in the same tick. */
export type Acting = AsyncLocalStorage<Lease | undefined>

/** The least severe messages that a server is asked for. */
export const LOG_LEVEL = 'info'
/** Questions of one call after another, before it counts as endless. */
const MAX_ROUNDS = 20
/** Calls that wait for people at a time. */
const MOST_HELD = 1_000

interface CallsParts {
  /** ms that a call is held open while a person is asked. */
  readonly holdMs: number
  readonly forms: SentForms
  readonly acting: Acting
  readonly lending: Lending
  readonly facts: () => ConnectionFacts
}

/** A call in flight, for whom it is made now, and what it waits for. */
interface Flight {
  call: ToolCall
  readonly stop: AbortController
  readonly rounds: Promise<Called>
  asked: PromiseWithResolvers<Called>
  /** How often questions were asked that are the same but for what was taken out of them. */
  readonly asks: Map<string, number>
  /** How often the model was asked for it. */
  samples: number
  /** A question is read before anybody is asked. */
  reads?: true
  /** The question that a person is asked now. Until then the server waits. */
  held?: { readonly elicitation: Elicitation; readonly answer: (result: ElicitResult) => void }
}

/**
 * The calls of one connection. An older server asks in the middle of a call, without a word of
 * which one it is: the call is held open while its person is asked, and goes on with the answer.
 * Where it cannot be held for so long, it is given up, and made anew when the answer is there.
 */
export class Calls {
  readonly #client: Client
  readonly #holdMs: number
  readonly #forms: SentForms
  readonly #acting: Acting
  readonly #lending: Lending
  readonly #facts: () => ConnectionFacts
  readonly #flights = new Set<Flight>()
  /**
   * The server has asked before: it gets one call at a time, so that a question belongs to one
   * call.
   */
  #asks = false
  readonly #running = new Set<Promise<Called>>()

  constructor(client: Client, parts: CallsParts) {
    const { acting, facts, forms, holdMs, lending } = parts
    this.#lending = lending
    this.#acting = acting
    this.#client = client
    this.#holdMs = holdMs
    this.#forms = forms
    this.#facts = facts
  }

  /**
   * Makes a call, or goes on with one that was held. Throws where the server could not be asked or
   * gave no valid answer.
   */
  async call(call: ToolCall): Promise<Called> {
    const before = this.#asks ? Promise.allSettled([...this.#running]) : undefined
    const made = before ? before.then(() => this.#call(call)) : this.#call(call)
    this.#running.add(made)
    try {
      return await made
    } finally {
      this.#running.delete(made)
    }
  }

  /**
   * Handles a question of an older server. If several calls could be meant, the response is
   * `cancel`, so that no person is asked for another's call.
   */
  async elicited(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const question = questionIn(params, this.#lending)
    if (question === undefined) return { action: 'decline' }
    const flight = this.#asking()
    if (!flight) return { action: 'cancel' }
    const answer = await this.#elicited(flight, question, signal)
    return params.mode === 'url' ? { action: answer.action } : answer
  }

  /**
   * The same for a request to the model: a person is asked first, unless the connection lends it.
   */
  async sampled(
    params: CreateMessageRequestParams,
    signal: AbortSignal,
  ): Promise<CreateMessageResult> {
    const flight = this.#asking()
    if (flight && ++flight.samples > MAX_ROUNDS)
      throw rejected(`it asks the model more than ${MAX_ROUNDS} times for one call`)
    if (!flight?.call.model) throw rejected('it may not use the model of this agent now')
    if (flight.call.model.asksFirst) {
      const { action } = await this.#elicited(flight, samplingQuestion(params), signal)
      if (action !== 'accept') throw rejected('the person does not want that')
    }
    // of the one who goes on with the call
    const { model } = flight.call
    if (!model) throw rejected('it may not use the model of this agent now')
    return model.sample(params)
  }

  /** The only call that a request of an older server can belong to. */
  #asking(): Flight | undefined {
    this.#asks = true
    const [flight, ...others] = [...this.#flights].filter(({ held, reads }) => !held && !reads)
    return others.length > 0 ? undefined : flight
  }

  async #elicited(flight: Flight, params: AskedParams, signal: AbortSignal): Promise<ElicitResult> {
    flight.reads = true
    const read = await readIn(flight.asks, this.#forms.whole(params), flight.call)
    delete flight.reads
    if (signal.aborted || !this.#flights.has(flight)) return { action: 'cancel' }
    if (!read.ok) return this.#withhold(flight, read.error)
    const answer = flight.call.answerTo(read.value)
    return answer ? { ...answer } : this.#hold(flight, read.value, signal)
  }

  /** The question may not be asked: its call ends, and the server gets `cancel`. */
  #withhold(flight: Flight, why: Failure): ElicitResult {
    this.#flights.delete(flight)
    flight.asked.reject(new UnshowableError(why))
    flight.stop.abort(why.message)
    return { action: 'cancel' }
  }

  /** Aborts the calls of a run that has ended. */
  release(run: string): void {
    for (const flight of this.#flights)
      if (flight.held && flight.call.key.startsWith(`${run}:`))
        this.#drop(flight, 'the run is over')
  }

  close(): void {
    for (const flight of this.#flights) this.#drop(flight, 'the connection is closed')
  }

  async #call(call: ToolCall): Promise<Called> {
    call.signal.throwIfAborted()
    // others came first, or the answer to a held call goes out now
    if (!isHeld(call.lease)) throw new LapsedError()
    const held = [...this.#flights].find((flight) => flight.held && flight.call.key === call.key)
    if (!held) return this.#follow(this.#begin(call))
    const answer = held.held && call.answerTo(held.held.elicitation)
    if (held.held && !answer) return { kind: 'asks', elicitation: held.held.elicitation }
    held.call = call
    held.asked = Promise.withResolvers<Called>()
    const resume = held.held?.answer
    delete held.held
    if (answer) resume?.({ ...answer })
    return this.#follow(held)
  }

  #begin(call: ToolCall): Flight {
    const stop = new AbortController()
    const asks = new Map<string, number>()
    const flight: Flight = {
      call,
      stop,
      asks,
      samples: 0,
      asked: Promise.withResolvers<Called>(),
      rounds: this.#rounds(call, stop.signal, asks, () => flight.call),
    }
    this.#flights.add(flight)
    const settled = (): void => this.#drop(flight, 'it is over')
    flight.rounds.then(settled, settled) // a call that was left with a question ends with an error
    return flight
  }

  /** Until it has ended, asks a person, or the one who waits for it has gone. */
  async #follow(flight: Flight): Promise<Called> {
    const { signal } = flight.call
    const leave = onAbort(signal, () => flight.stop.abort(signal.reason))
    try {
      return await Promise.race([flight.asked.promise, flight.rounds])
    } finally {
      leave()
    }
  }

  #hold(flight: Flight, elicitation: Elicitation, signal: AbortSignal): Promise<ElicitResult> {
    return new Promise((resolve) => {
      const tooLate = setTimeout(() => this.#drop(flight, 'no answer came in time'), this.#holdMs)
      tooLate.unref()
      const answer = (result: ElicitResult): void => {
        clearTimeout(tooLate)
        signal.removeEventListener('abort', givenUp)
        resolve(result)
      }
      // The server has stopped waiting: its result is not based on the person's answer.
      const givenUp = (): void => this.#drop(flight, 'the server has not waited for the answer')
      flight.held = { elicitation, answer }
      flight.asked.resolve({ kind: 'asks', elicitation })
      signal.addEventListener('abort', givenUp, { once: true })
      if (this.#flights.size > MOST_HELD) this.#drop(flight, 'too many calls wait for people')
    })
  }

  #drop(flight: Flight, why: string): void {
    const { held } = flight
    delete flight.held
    this.#flights.delete(flight)
    held?.answer({ action: 'cancel' })
    if (held) flight.stop.abort(why)
  }

  /** A newer server asks by ending the call with questions; it is made again with the answers. */
  async #rounds(
    { request, timeoutMs, ...first }: ToolCall,
    signal: AbortSignal,
    asks: Map<string, number>,
    now: () => ToolCall,
  ): Promise<Called> {
    let { lease, beginSpan } = first
    let given: Round = {}
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer = await this.#acting
        .run(lease, () =>
          traced(beginSpan, subjectOf(request), this.#facts, (meta) =>
            this.#send(request, given, meta, {
              // While somebody follows the call, their signal ends it in time.
              timeout: timeoutMs + MAX_ROUNDS * this.#holdMs,
              signal,
              onprogress: (progress) => now().progress(progress),
              allowInputRequired: true,
            }),
          ),
        )
        .catch((cause: unknown) => addressesIn(cause, this.#lending.urls))
      if (!(answer instanceof Addresses) && !isInputRequiredResult(answer))
        return {
          kind: 'result',
          result:
            request.kind === 'tool'
              ? (answer as CallToolResult) // validated by the client
              : request.result(answer),
        }
      const { inputRequests = {}, requestState } = answer
      ;({ lease, beginSpan } = now()) // of the one who goes on with it
      const answered = await answersTo(
        inputRequests,
        (params) => readIn(asks, this.#forms.whole(params), now()),
        now(),
        this.#lending,
      )
      if (answered.asks)
        return {
          kind: 'asks',
          elicitation: answered.asks,
          ...(answer instanceof Addresses && { isPrerequisite: true }),
        }
      if (answer instanceof Addresses) {
        answer.mustBeAccepted(answered.responses)
        continue
      }
      given = {
        inputResponses: answered.responses,
        ...(requestState === undefined ? {} : { requestState }),
      }
    }
    throw new UnansweredError(`it asked for more than ${MAX_ROUNDS} times`)
  }

  #send(
    request: CallRequest,
    given: Round,
    meta: RequestMeta,
    options: RequestOptions,
  ): Promise<unknown> {
    if (request.kind === 'other')
      return request.send(this.#client, { ...given, ...metaOf(meta) }, options)
    const { tool, args } = request
    // checking the answer by a stranger's patterns could take for ever
    const { outputSchema: _, ...toolDefinition } = tool
    const logs = this.#client.getProtocolEra() === 'modern' // an older one was told once
    const parameters = {
      name: tool.name,
      arguments: args,
      ...given,
      ...metaOf({ ...meta, ...(logs && { [LOG_LEVEL_META_KEY]: LOG_LEVEL }) }),
    }
    return this.#client.callTool(parameters, { ...options, toolDefinition })
  }
}

const subjectOf = (request: CallRequest): Subject =>
  request.kind === 'tool' ? { method: 'tools/call', tool: request.tool.name } : request.subject

const metaOf = (meta: RequestMeta): { readonly _meta?: RequestMeta } =>
  Object.keys(meta).length > 0 ? { _meta: meta } : {}

const rejected = (why: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidRequest, why)
