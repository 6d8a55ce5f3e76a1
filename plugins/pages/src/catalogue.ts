import type { AgentBundle } from '@amodal/sdk'
import { titleOf } from '@amodal/sdk/files'
import { PageBuilds } from './page-builds.ts'
import type { BuiltPage } from './bundler.ts'
import { isPage, pageFiles, pagesOf, readPages, withPages, type StoredPage } from './read-pages.ts'
import { fileName } from './page-config.ts'
import type { PageInfo, PageProblem } from './protocol.ts'

type Problems = ReadonlyMap<string, readonly PageProblem[]>

/** The pages of the agent, with what is wrong with the newest edit of each. */
export class Catalogue {
  readonly #builds = new PageBuilds()
  readonly #bundle: () => AgentBundle | undefined
  readonly #onProblems: (count: number) => void
  #problems: Problems = new Map()

  /**
   * @param bundle the files in use
   * @param onProblems called where other things are wrong than before
   */
  constructor(bundle: () => AgentBundle | undefined, onProblems: (count: number) => void) {
    this.#bundle = bundle
    this.#onProblems = onProblems
  }

  /** Reads the pages of a bundle that may come into use. */
  async load(bundle: AgentBundle): Promise<AgentBundle | undefined> {
    const files = pageFiles(bundle)
    if (![...files.keys()].some(isPage)) {
      this.#note(bundle, new Map())
      return undefined
    }
    const read = await readPages(bundle, files, this.#builds)
    this.#note(bundle, read.problems)
    return withPages(bundle, read)
  }

  get pages(): readonly StoredPage[] {
    const bundle = this.#bundle()
    return bundle ? pagesOf(bundle) : []
  }

  get problemCount(): number {
    return this.#problems.size
  }

  page(name: string): StoredPage | undefined {
    return this.pages.find((page) => page.name === name)
  }

  /** Every page, and those that have never been built. */
  infos(): readonly PageInfo[] {
    const { pages } = this
    const shown = pages.map(({ hash, shape, ...page }): PageInfo => ({
      ...page,
      build: { hash, shape, script: scriptPath(page.name, hash) },
      problems: this.#problems.get(page.file) ?? [],
    }))
    const missing = [...this.#problems].flatMap(([file, problems]): readonly PageInfo[] =>
      pages.some((page) => page.file === file) ? [] : [brokenPage(file, problems)],
    )
    return [...shown, ...missing.filter(({ name }) => !pages.some((page) => page.name === name))]
  }

  /** Of pages whose name another page has. */
  otherProblems(): readonly PageProblem[] {
    const { pages } = this
    return [...this.#problems].flatMap(([file, problems]) =>
      pages.some((page) => page.file !== file && page.name === fileName(file)) &&
      !pages.some((page) => page.file === file)
        ? problems
        : [],
    )
  }

  /**
   * The script with this hash. After the plugin was exchanged, those in use are built once more.
   */
  async script(hash: string): Promise<BuiltPage | undefined> {
    const built = this.#builds.script(hash)
    const bundle = this.#bundle()
    const page = this.pages.find((one) => one.hash === hash)
    if (built || !bundle || !page) return built
    const rebuilt = await this.#builds.build(page.file, pageFiles(bundle))
    return rebuilt.ok && rebuilt.value.hash === hash ? rebuilt.value : undefined
  }

  /**
   * A bundle in which edits are held back shows older files: what is wrong with the newer ones
   * stays as it is.
   */
  #note({ held }: AgentBundle, found: Problems): void {
    const isHeld = held?.paths.some((path) => path.startsWith('pages/')) === true
    const problems = isHeld ? new Map([...found, ...this.#problems]) : found
    const isSame = textOf(problems) === textOf(this.#problems)
    this.#problems = problems
    if (!isSame) this.#onProblems(problems.size)
  }
}

const textOf = (problems: Problems): string => JSON.stringify([...problems])

/** Path of a page's script. */
export const scriptPath = (name: string, hash: string): string =>
  `/pages-bundle/${encodeURIComponent(name)}-${hash}.js`

const brokenPage = (file: string, problems: readonly PageProblem[]): PageInfo => ({
  name: fileName(file),
  title: titleOf(fileName(file)),
  file,
  hidden: false,
  stores: [],
  automations: [],
  skills: [],
  context: {},
  problems,
})
