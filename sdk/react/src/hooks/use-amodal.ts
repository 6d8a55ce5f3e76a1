import { useCallback, useState } from 'react'
import { useAsk, type AskState } from './use-ask.ts'
import { useChat, type Chat, type UseChatOptions } from './use-chat.ts'
import { useTask, type Task } from './use-task.ts'

/** The chat of the provider, under the name of earlier versions. */
export const useAmodalChat = (options?: UseChatOptions): Chat => useChat(options)

export interface TopicAction extends AskState {
  /** Asks about another topic, or once more. Settles with the turn. */
  readonly run: (topic?: string) => Promise<void>
}

/**
 * A quick summary on a topic, requested by `run`.
 *
 * @example
 * const { run, text, loading } = useAmodalBrief('open incidents')
 */
export const useAmodalBrief = (topic = ''): TopicAction =>
  useTopic(topic, (about) => `Give a brief summary, in a few sentences, on: ${about}`)

/**
 * A detailed analysis of a topic, requested by `run`.
 *
 * @example
 * const { run, text, loading } = useAmodalInsight('why incidents rise')
 */
export const useAmodalInsight = (topic = ''): TopicAction =>
  useTopic(
    topic,
    (about) => `Give a detailed analysis, with its reasons and evidence, of: ${about}`,
  )

function useTopic(topic: string, promptOf: (topic: string) => string): TopicAction {
  const { ask, ...state } = useAsk()
  const run = (about = topic): Promise<void> =>
    ask(promptOf(about)).then(
      () => undefined,
      () => undefined, // `error` has it
    )
  return { run, ...state }
}

/** Starts and follows work in the background: {@link useTask} under the name of earlier versions. */
export const useAmodalTask = (known?: string): Task => useTask(known)

export interface Query<T> extends AskState {
  /** The result, once it is there. */
  readonly data: T | undefined
  /** Settles with the turn. @returns the result; `undefined` where there is none, see `error` */
  readonly query: (question: string) => Promise<T | undefined>
}

/**
 * Asks something and returns the result as JSON.
 *
 * @param options `parse`: validates the result, and throws where it is another one
 * @example
 * const { query, data } = useAmodalQuery({ parse: (value) => Incidents.parse(value) })
 * const onClick = () => query('Which incidents are open? A list of { id, severity }.')
 */
export function useAmodalQuery<T = unknown>({
  parse,
}: { readonly parse?: (value: unknown) => T } = {}): Query<T> {
  const { ask, ...state } = useAsk()
  const [data, setData] = useState<T>()
  const [problem, setProblem] = useState<Error>()
  const query = useCallback(
    async (question: string): Promise<T | undefined> => {
      setData(undefined)
      setProblem(undefined)
      try {
        const { text } = await ask(`${question}\n\nReply with JSON alone, without other text.`)
        const value = jsonIn(text)
        const result = parse ? parse(value) : (value as T) // the caller's word
        setData(result)
        return result
      } catch (cause) {
        setProblem(cause instanceof Error ? cause : new Error(String(cause)))
        return undefined
      }
    },
    [ask, parse],
  )
  return { ...state, error: state.error ?? problem, data, query }
}

/** JSON of a reply; models like to put it into a block of code. */
function jsonIn(text: string): unknown {
  const block = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(text)?.[1]
  try {
    return JSON.parse(block ?? text)
  } catch {
    throw new Error('AMODAL_NO_JSON: the agent has replied with something else than JSON')
  }
}
