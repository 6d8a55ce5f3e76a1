import type { AgentBundle, Json } from '@amodal/sdk'
import { apiDocumentsOf, connectionsOf } from '@amodal/sdk/connections'
import { Corpus } from './corpus.ts'
import { textOf } from './texts.ts'

/** Characters of the agent's own files; more than any prompt has. */
const MOST_CHARS = 20_000_000
/** Endpoints that are one text. */
const TOGETHER = 500

/**
 * The agent's own files: what its author wrote for the model to go by. Amounts count where they
 * stand in prose; those of settings and API documents are limits and samples.
 */
export function ownTexts(bundle: AgentBundle): Corpus {
  const corpus = new Corpus(MOST_CHARS)
  const add = (text: string, numbers: boolean): void =>
    corpus.add({ tool: "the agent's own files", call: '', connection: '', text }, { numbers })
  const { manifest, instructions, skills, knowledge, stores, files } = bundle
  const prose = [
    manifest.userContext,
    manifest.description,
    instructions?.body,
    ...skills.flatMap(({ name, description, trigger, body }) => [name, description, trigger, body]),
    ...knowledge.map(({ title, body }) => `${title}\n${body}`),
  ]
  for (const text of prose) if (text !== undefined) add(text, true)
  for (const { path, text } of files) if (/\.(md|txt)$/i.test(path)) add(text, true)
  for (const store of stores) add(textOf(store.raw), false)
  for (const { name, spec, access, surface, entities, rules } of connectionsOf(bundle)) {
    for (const text of [surface, entities, rules]) add(text, true)
    // as the plugin connections read it from JSON
    add(`${name}\n${textOf(spec)}\n${textOf(access as unknown as Json)}`, false)
  }
  for (const document of Object.values(apiDocumentsOf(bundle))) {
    const lines = document.endpoints.map(
      ({ method, path, parameters }) =>
        `${method} ${path}\n${parameters.map(({ name }) => name).join('\n')}`,
    )
    for (let at = 0; at < lines.length; at += TOGETHER)
      add(lines.slice(at, at + TOGETHER).join('\n'), false)
  }
  return corpus
}
