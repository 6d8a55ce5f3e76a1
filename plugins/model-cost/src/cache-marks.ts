import type { Message, ModelCall, SessionId } from '@amodal/sdk'

type Options = NonNullable<Message['providerOptions']>

/**
 * Options that make a provider cache the beginning of a prompt, by its name. Providers that are not
 * listed cache by default or not at all. Sources: "Prompt caching" in the API references of
 * Anthropic, Amazon Bedrock and OpenAI.
 */
const MARKS: Readonly<Record<string, Options>> = {
  anthropic: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  bedrock: { bedrock: { cachePoint: { type: 'default' } } },
}

/** Other models there refuse a request with marks. */
const CACHED_AT_BEDROCK = /anthropic\.claude-(?:3-7-|3-5-haiku|opus-|sonnet-|haiku-)|amazon\.nova-/

/**
 * The call with marks behind the system prompt, which tools stand before, and behind the newest
 * message, so that the next call finds all of this one. Nothing else changes. `undefined` where the
 * provider takes no marks.
 */
export function marked(call: ModelCall, session: SessionId): ModelCall | undefined {
  if (call.config.provider === 'openai' && call.config.baseUrl === undefined) {
    // Routes a conversation to the machine that has its cache.
    const { openai, ...others } = call.settings.providerOptions ?? {}
    return {
      ...call,
      settings: {
        ...call.settings,
        providerOptions: { ...others, openai: { promptCacheKey: session, ...openai } },
      },
    }
  }
  const { provider, model } = call.config
  const mark = Object.hasOwn(MARKS, provider) ? MARKS[provider] : undefined
  if (!mark || (provider === 'bedrock' && !CACHED_AT_BEDROCK.test(model))) return undefined
  const newest = call.messages.at(-1)
  return {
    ...call,
    systemOptions: joined(call.systemOptions, mark),
    ...(newest &&
      !call.aside && {
        messages: [
          ...call.messages.slice(0, -1),
          { ...newest, providerOptions: joined(newest.providerOptions, mark) },
        ],
      }),
  }
}

/** What is there already, such as a mark of another duration, stays. */
function joined(there: Options = {}, mark: Options): Options {
  return {
    ...there,
    ...Object.fromEntries(
      Object.entries(mark).map(([name, options]) => [name, { ...options, ...there[name] }]),
    ),
  }
}
