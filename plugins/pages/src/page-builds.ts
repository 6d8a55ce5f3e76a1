import { bundlePage, type BuiltPage, type PageFiles } from './bundler.ts'
import { factsOf, type ModuleFacts } from './module-facts.ts'
import type { PageProblem } from './protocol.ts'
import type { Result } from '@amodal/sdk'

/** Scripts that are served: those in use, and some that open windows may still ask for. */
const MOST_SCRIPTS = 200
/** Modules whose facts are held. */
const MOST_MODULES = 1_000

interface Built {
  readonly texts: ReadonlyMap<string, string>
  readonly page: BuiltPage
}

/** Bundles of pages: one that has not changed is not built anew. */
export class PageBuilds {
  /** By path of the page. */
  readonly #last = new Map<string, Built>()
  /** By the names of their scripts; those used last at the end. */
  readonly #scripts = new Map<string, BuiltPage>()
  readonly #facts = new Map<string, { readonly text: string; readonly facts: ModuleFacts }>()

  async build(entry: string, files: PageFiles): Promise<Result<BuiltPage, readonly PageProblem[]>> {
    const last = this.#last.get(entry)
    if (last && [...last.texts].every(([path, text]) => files.get(path) === text)) {
      this.#serve(last.page)
      return { ok: true, value: last.page }
    }
    const built = await bundlePage(entry, files)
    if (!built.ok) return built
    const texts = new Map(built.value.inputs.map((path) => [path, files.get(path) ?? '']))
    this.#last.set(entry, { texts, page: built.value })
    this.#serve(built.value)
    return built
  }

  async facts(path: string, text: string): Promise<ModuleFacts> {
    const known = this.#facts.get(path)
    if (known?.text === text) return known.facts
    const facts = await factsOf(path, text)
    this.#facts.delete(path)
    this.#facts.set(path, { text, facts })
    trim(this.#facts, MOST_MODULES)
    return facts
  }

  /** @param hash as the list of pages has it */
  script(hash: string): BuiltPage | undefined {
    return this.#scripts.get(hash)
  }

  /** Forgets pages that are no longer there. */
  retain(entries: ReadonlySet<string>): void {
    for (const entry of this.#last.keys()) if (!entries.has(entry)) this.#last.delete(entry)
  }

  #serve(page: BuiltPage): void {
    this.#scripts.delete(page.hash)
    this.#scripts.set(page.hash, page)
    trim(this.#scripts, MOST_SCRIPTS)
  }
}

function trim<V>(map: Map<string, V>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
