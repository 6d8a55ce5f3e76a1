import type { Json, ModelResult, ToolOutcome } from '@amodal/sdk'

/** A part of a message, in the form of the conventions' JSON schema. */
type MessagePart =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | {
      readonly type: 'tool_call'
      readonly id: string
      readonly name: string
      readonly arguments: Json
    }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: Json }

interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly parts: readonly MessagePart[]
}

/** In the place of a result that no client sees. */
const PRIVATE = '[private]'

/** Reasons for the end of a reply, where the conventions have another word than the provider. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
}

/**
 * What spans of a turn hold of its texts. A model call has the messages that are new since the one
 * before it: earlier ones are on the spans of earlier calls.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export class SpanContent {
  readonly #limit: number
  readonly #clean: (text: string) => string
  #input: Message[] = []

  /**
   * @param limit characters of each text
   * @param clean removes secrets and restricted values
   */
  constructor(limit: number, clean: (text: string) => string) {
    this.#limit = limit
    this.#clean = clean
  }

  addMessage(text: string): void {
    this.#input.push({ role: 'user', parts: [{ type: 'text', content: this.#text(text) }] })
  }

  /** @returns the result as a span holds it */
  addResult({ call, output, content, private: isPrivate }: ToolOutcome): string {
    const isHidden = isPrivate === true || content?.some(({ audience }) => audience) === true
    const result = isHidden ? PRIVATE : this.value(output)
    this.#input.push({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: call, response: result }],
    })
    return result
  }

  /** The new messages of the next model call, as JSON; `undefined` where there are none. */
  input(): string | undefined {
    return this.#input.length === 0 ? undefined : JSON.stringify(this.#input)
  }

  /** The reply as JSON. What was new before it is not given to the next call. */
  output({ text, reasoning, calls, finish }: ModelResult): string {
    this.#input = []
    const parts: readonly MessagePart[] = [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', content: this.#text(reasoning) } as const]),
      ...(text === '' ? [] : [{ type: 'text', content: this.#text(text) } as const]),
      ...calls.map(
        ({ id, name, input }) =>
          ({ type: 'tool_call', id, name, arguments: this.#text(input) }) as const,
      ),
    ]
    const reason = FINISH_REASONS[finish] ?? finish
    return JSON.stringify([{ role: 'assistant', parts, finish_reason: reason }])
  }

  /** A value as JSON, text as it is. */
  value(value: Json): string {
    return this.#text(typeof value === 'string' ? value : JSON.stringify(value))
  }

  // Cleaned first: a cut could leave half of a secret, which nothing recognises.
  #text(text: string): string {
    const clean = this.#clean(text)
    const omitted = clean.length - this.#limit
    return omitted > 0 ? `${clean.slice(0, this.#limit)} [${omitted} characters omitted]` : clean
  }
}
