import { z } from 'zod'
import type { SearchSettings } from './settings.ts'

/** One result, in plain text. */
export interface Found { readonly title: string; readonly url: string; readonly text: string }

const text = z.string().nullish().transform((value) => value ?? '')
const result = z.object({ title: text, url: z.url({ protocol: /^https?$/ }), content: text, description: text })
const results = z.array(z.unknown()).transform((list) => list.flatMap((one) => result.safeParse(one).data ?? []))
const Brave = z.object({ web: z.object({ results }).optional() })
const Others = z.object({ results })
const MOST_TEXT = 1_000

/** What Gemini found: its sources, each with the sentences that rest on it (ai.google.dev, "Grounding with Google Search"). */
const Grounded = z.object({ candidates: z.array(z.object({
  groundingMetadata: z.object({
    groundingChunks: z.array(z.object({ web: z.object({ uri: text, title: text }).optional() })).default([]),
    groundingSupports: z.array(z.object({ segment: z.object({ text }).optional(), groundingChunkIndices: z.array(z.int()).default([]) })).default([]),
  }).optional(),
})) }).transform(({ candidates }) => candidates.flatMap(({ groundingMetadata: found }) => (found?.groundingChunks ?? []).flatMap(({ web }, index) => {
  const said = found?.groundingSupports.filter(({ groundingChunkIndices }) => groundingChunkIndices.includes(index)).map(({ segment }) => segment?.text ?? '')
  return result.safeParse({ title: web?.title, url: web?.uri, content: said?.join(' ') }).data ?? []
})))

const FORMS = {
  google: Grounded, brave: Brave.transform(({ web }) => web?.results ?? []), tavily: Others.transform((said) => said.results), searxng: Others.transform((said) => said.results),
} as const

/** What a provider found; `undefined` where it says something else. */
export function resultsIn(provider: SearchSettings['provider'], body: string): readonly Found[] | undefined {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return undefined
  }
  const read = FORMS[provider].safeParse(json)
  return read.data?.map(({ title, url, content, description }) => ({ title: plain(title), url, text: plain(content === '' ? description : content).slice(0, MOST_TEXT) }))
}

/** Providers mark what fits with tags. */
const plain = (marked: string): string => marked.replace(/<\/?(strong|b|em|i|mark)>/gi, '').replace(/\s+/g, ' ').trim()
