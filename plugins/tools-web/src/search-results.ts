import { textStart, parseExact } from '@amodal/sdk/data'
import { z } from 'zod'
import type { SearchSettings } from './settings.ts'

/** One result, in plain text. */
export interface Found {
  readonly title: string
  readonly url: string
  readonly text: string
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const result = z.object({
  title: text,
  url: z.url({ protocol: /^https?$/ }),
  content: text,
  description: text,
})
const results = z
  .array(z.unknown())
  .transform((list) => list.flatMap((one) => result.safeParse(one).data ?? []))
const Brave = z.object({ web: z.object({ results }).optional() })
const Others = z.object({ results })
const MOST_TEXT = 1_000
/** Characters of an answer: about 2,000 tokens. */
const MOST_ANSWER = 8_000

/** The result of a search: pages, and the provider's own summary if it returns one. */
export interface Searched {
  readonly found: readonly Found[]
  readonly answer: string
}

/**
 * What Gemini found: its answer, and its sources, each with the sentences that rest on it
 * (ai.google.dev, "Grounding with Google Search").
 */
const Grounded = z
  .object({
    candidates: z.array(
      z.object({
        content: z
          .object({
            parts: z.array(z.object({ text, thought: z.boolean().optional() })).default([]),
          })
          .optional(),
        groundingMetadata: z
          .object({
            groundingChunks: z
              .array(z.object({ web: z.object({ uri: text, title: text }).optional() }))
              .default([]),
            groundingSupports: z
              .array(
                z.object({
                  segment: z.object({ text }).optional(),
                  groundingChunkIndices: z.array(z.int()).default([]),
                }),
              )
              .default([]),
          })
          .optional(),
      }),
    ),
  })
  .transform(({ candidates }) => ({
    answer: (candidates[0]?.content?.parts ?? [])
      .filter(({ thought }) => thought !== true)
      .map((part) => part.text)
      .join('')
      .trim(),
    found: candidates.flatMap(({ groundingMetadata: said }) =>
      (said?.groundingChunks ?? []).flatMap(({ web }, index) => {
        const rests = said?.groundingSupports
          .filter(({ groundingChunkIndices }) => groundingChunkIndices.includes(index))
          .map(({ segment }) => segment?.text ?? '')
        return (
          result.safeParse({ title: web?.title, url: web?.uri, content: rests?.join(' ') }).data ??
          []
        )
      }),
    ),
  }))

const listed = (
  found: z.output<typeof results>,
): { readonly answer: string; readonly found: z.output<typeof results> } => ({ answer: '', found })
const FORMS = {
  google: Grounded,
  brave: Brave.transform(({ web }) => listed(web?.results ?? [])),
  tavily: Others.transform((said) => listed(said.results)),
  searxng: Others.transform((said) => listed(said.results)),
} as const

/** The results in a provider's response; `undefined` if it has another shape. */
export function resultsIn(
  provider: SearchSettings['provider'],
  body: string,
): Searched | undefined {
  let json: unknown
  try {
    json = parseExact(body)
  } catch {
    return undefined
  }
  const { data } = FORMS[provider].safeParse(json)
  return (
    data && {
      answer: textStart(data.answer, MOST_ANSWER),
      found: data.found.map(({ title, url, content, description }) => ({
        title: plain(title),
        url,
        text: textStart(plain(content === '' ? description : content), MOST_TEXT),
      })),
    }
  )
}

/** Providers mark what fits with tags. */
const plain = (marked: string): string =>
  marked
    .replace(/<\/?(strong|b|em|i|mark)>/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
