import { onAbort } from '@amodal/sdk'
import {
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  type CallToolResult,
  type Client,
  type ElicitResult,
  type InputRequests,
  type InputResponses,
  type Progress,
  type Tool,
} from '@modelcontextprotocol/client'
import type { JsonObject, Lease } from '@amodal/sdk'
import type { AsyncLocalStorage } from 'node:async_hooks'
import { type Elicitation, type ElicitationAnswer, elicitationOf } from './elicitation.ts'
import { LapsedError, UnansweredError } from './failing.ts'
import { isHeld } from './is-held.ts'
import type { SentForms } from './sent-forms.ts'

export interface ToolCall {
  /** The same when the call is made again with the answer of a person. */
  readonly key: string
  readonly tool: Tool
  readonly args: JsonObject
  readonly signal: AbortSignal
  /** Under which it is made; left out where it changes nothing. */
  readonly lease?: Lease
  /** ms, past which nobody waits for an answer any more. */
  readonly timeoutMs: number
  readonly progress: (progress: Progress) => void
  /** What a person has answered to this very question, if anybody has. */
  readonly answerTo: (elicitation: Elicitation) => ElicitationAnswer | undefined
}

export type Called =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  /** The server needs a person before it can go on. */
  | { readonly kind: 'asks'; readonly elicitation: Elicitation }

/** The lease of the call that is being sent: what writes it looks at it in the same tick. */
export type Acting = AsyncLocalStorage<Lease | undefined>

/** The least severe messages that a server is asked for. */
export const LOG_LEVEL = 'info'
/** Questions of one call after another, before it counts as endless. */
const MAX_ROUNDS = 20
/** Calls that wait for people at a time. */
const MOST_HELD = 1_000

/** A call in flight, for whom it is made now, and what it waits for. */
interface Flight {
  call: ToolCall
  readonly stop: AbortController
  readonly rounds: Promise<Called>
  asked: PromiseWithResolvers<Called>
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
  readonly #flights = new Set<Flight>()
  /** It has asked before: it is given one call at a time, so that it is known which one asks. */
  #asks = false
  readonly #running = new Set<Promise<Called>>()

  /** @param holdMs ms that a call is held open while a person is asked */
  constructor(client: Client, holdMs: number, forms: SentForms, acting: Acting) {
    this.#acting = acting
    this.#client = client
    this.#holdMs = holdMs
    this.#forms = forms
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
   * An older server asks. Nobody is asked on behalf of somebody else: where several calls could be
   * meant, it hears `cancel`.
   */
  elicited(elicitation: Elicitation, signal: AbortSignal): ElicitResult | Promise<ElicitResult> {
    this.#asks = true
    const [flight, ...others] = [...this.#flights].filter(({ held }) => !held)
    if (!flight || others.length > 0) return { action: 'cancel' }
    const answer = flight.call.answerTo(elicitation)
    return answer ? { ...answer } : this.#hold(flight, elicitation, signal)
  }

  /** Gives up the calls of a run that nobody goes on with. */
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
    const flight: Flight = {
      call,
      stop,
      asked: Promise.withResolvers<Called>(),
      rounds: this.#rounds(call, stop.signal, () => flight.call),
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
      const tooLate = setTimeout(
        () => this.#drop(flight, 'nobody has answered for too long'),
        this.#holdMs,
      )
      tooLate.unref()
      const answer = (result: ElicitResult): void => {
        clearTimeout(tooLate)
        signal.removeEventListener('abort', givenUp)
        resolve(result)
      }
      // The server does not wait any more: what it makes of that is not what the person wanted.
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
    { tool, args, timeoutMs, ...first }: ToolCall,
    signal: AbortSignal,
    now: () => ToolCall,
  ): Promise<Called> {
    // checking the answer by a stranger's patterns could take for ever
    const { outputSchema: _, ...toolDefinition } = tool
    const logs = this.#client.getProtocolEra() === 'modern' // an older one was told once
    let { lease } = first
    let given: { readonly inputResponses?: InputResponses; readonly requestState?: string } = {}
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const parameters = {
        name: tool.name,
        arguments: args,
        ...given,
        ...(logs && { _meta: { [LOG_LEVEL_META_KEY]: LOG_LEVEL } }),
      }
      const answer: unknown = await this.#acting.run(lease, () =>
        this.#client.callTool(parameters, {
          // While somebody follows the call, their signal ends it in time.
          timeout: timeoutMs + MAX_ROUNDS * this.#holdMs,
          signal,
          onprogress: (progress) => now().progress(progress),
          allowInputRequired: true,
          toolDefinition,
        }),
      )
      if (!isInputRequiredResult(answer))
        return { kind: 'result', result: answer as CallToolResult } // validated by the client
      const { inputRequests = {}, requestState } = answer
      lease = now().lease // of the one who goes on with it
      const answered = answersTo(inputRequests, now().answerTo, this.#forms)
      if (answered.asks) return { kind: 'asks', elicitation: answered.asks }
      given = {
        inputResponses: answered.responses,
        ...(requestState === undefined ? {} : { requestState }),
      }
    }
    throw new UnansweredError(`it asked for more than ${MAX_ROUNDS} times`)
  }
}

/** What an answer says of the question by its key; the first that nobody has answered yet. */
function answersTo(
  requests: InputRequests,
  answerTo: ToolCall['answerTo'],
  forms: SentForms,
): { readonly asks?: Elicitation; readonly responses: InputResponses } {
  const responses: InputResponses = {}
  for (const [key, request] of Object.entries(requests)) {
    switch (request.method) {
      case 'elicitation/create': {
        if (request.params.mode === 'url')
          throw new UnansweredError(
            'it asks to open an address (URL elicitation), which this agent does not do',
          )
        const elicitation = elicitationOf(forms.whole(request.params))
        const answer = answerTo(elicitation)
        if (!answer) return { asks: elicitation, responses }
        responses[key] = { ...answer }
        break
      }
      case 'roots/list':
        responses[key] = { roots: [] }
        break
      case 'sampling/createMessage':
        throw new UnansweredError(
          'it asks for the model of this agent (sampling), which it may not use',
        )
    }
  }
  return { responses }
}
