import {
  err,
  type AgentBundle,
  type BundleFile,
  type BundleIssue,
  type HeldEdits,
  type Result,
} from '@amodal/sdk'
import { compare, errorsIn } from '@amodal/sdk/files'
import type { FolderTexts, LoadFailure } from './load.ts'

/** Tries files in place of those in use. */
export type Judge = (
  texts: FolderTexts,
  held: HeldEdits | undefined,
) => Promise<Result<AgentBundle, LoadFailure>>

type Paths = ReadonlySet<string>
/** An edit that is held back, and what was wrong with it. */
interface Held {
  readonly paths: Paths
  readonly issues: readonly BundleIssue[]
}

/**
 * The files in use, and the edits that are not. An edit is what changed between two reads. One that
 * breaks something is held back as a whole, until one of its files is changed again; what else is
 * edited meanwhile is taken.
 */
export class Edits {
  #inUse: FolderTexts | undefined
  #seen: FolderTexts | undefined
  #held: readonly Held[] = []
  #bundle: AgentBundle | undefined
  /**
   * One at a time: while the wiring is exchanged, the old reader and the new one may both be at it.
   */
  #last: Promise<unknown> = Promise.resolve()

  get inUse(): FolderTexts | undefined {
    return this.#inUse
  }
  /** What was made of the files in use. */
  get bundle(): AgentBundle | undefined {
    return this.#bundle
  }

  /**
   * Takes what it can of a folder. A failure says what is wrong with the newest edit, and with
   * those held back before.
   *
   * @param isFirst whoever asks has no files yet, and is given those in use where the newest edit
   *   is broken
   */
  accept(
    now: FolderTexts,
    judge: Judge,
    isFirst: boolean,
  ): Promise<Result<AgentBundle, LoadFailure>> {
    const taken = this.#last.then(() => this.#accept(now, judge, isFirst))
    this.#last = taken.catch(() => undefined) // whoever asked for it is told
    return taken
  }

  async #accept(
    now: FolderTexts,
    judge: Judge,
    isFirst: boolean,
  ): Promise<Result<AgentBundle, LoadFailure>> {
    const edit = this.#seen ? changed(this.#seen, now) : new Set<string>()
    const whole = await judge(now, undefined)
    if (whole.ok || !this.#inUse) {
      this.#seen = now
      if (whole.ok) this.#use(now, [], whole.value)
      return whole
    }
    const again = this.#held.filter(({ paths }) => [...paths].some((path) => edit.has(path)))
    const apart = this.#held.filter((held) => !again.includes(held))
    const part = apart.length > 0 ? await this.#without(apart, now, judge) : whole
    if (part.ok) {
      this.#seen = now
      return part
    }
    const { error } = part
    // Something beside the texts is wrong, such as a link or a package, and not with what was
    // edited.
    const beside = filesOf(error.issues, edit)
    const rest = beside.paths.size > 0 ? await this.#without([...apart, beside], now, judge) : part
    this.#seen = now
    if (rest.ok) return rest
    const paths = new Set([...edit, ...again.flatMap((held) => [...held.paths])])
    const issues = errorsIn(error.issues)
    this.#held = paths.size > 0 ? [...apart, { paths, issues }] : apart
    if (isFirst) {
      const before = await this.#without(this.#held, now, judge)
      if (before.ok) return before
    }
    return err({ ...error, issues: [...issues, ...issuesOf(apart)] })
  }

  /** Tries the folder without some edits, and takes it where that is good. */
  async #without(
    held: readonly Held[],
    now: FolderTexts,
    judge: Judge,
  ): Promise<Result<AgentBundle, LoadFailure>> {
    const paths = new Set(held.flatMap((one) => [...one.paths]))
    const texts = withBefore(now, this.#inUse?.files ?? [], paths)
    const result = await judge(texts, { paths: [...paths], issues: issuesOf(held) })
    if (result.ok) this.#use(texts, held, result.value)
    return result
  }

  #use(texts: FolderTexts, held: readonly Held[], bundle: AgentBundle): void {
    this.#inUse = texts
    this.#held = held
    this.#bundle = bundle
  }
}

function changed(before: FolderTexts, now: FolderTexts): Paths {
  const [old, fresh] = [textsOf(before), textsOf(now)]
  return new Set(
    [...old.keys(), ...fresh.keys()].filter((path) => old.get(path) !== fresh.get(path)),
  )
}

/**
 * Files with errors that are no part of an edit, and what was edited in the same folder of a tool,
 * skill or connection.
 */
function filesOf(issues: readonly BundleIssue[], edit: Paths): Held {
  const errors = errorsIn(issues).filter(({ file }) => file !== undefined && !edit.has(file))
  const files = errors.flatMap(({ file }) => file ?? [])
  const folders = files.flatMap((file) => /^[^/]+\/[^/]+\//.exec(file) ?? [])
  return {
    paths: new Set([
      ...files,
      ...[...edit].filter((path) => folders.some((folder) => path.startsWith(folder))),
    ]),
    issues: errors,
  }
}

/** The folder of now, with these files as they are in use. */
function withBefore(now: FolderTexts, inUse: readonly BundleFile[], paths: Paths): FolderTexts {
  const before = new Map(
    inUse.filter(({ path }) => paths.has(path)).map((file) => [file.path, file]),
  )
  const files = now.files.flatMap((file): readonly BundleFile[] => {
    if (!paths.has(file.path)) return [file]
    const old = before.get(file.path)
    before.delete(file.path)
    return old ? [old] : []
  })
  return {
    ...now,
    files: [...files, ...before.values()].sort((a, b) => compare(a.path, b.path)),
    issues: now.issues.filter((issue) => !isAbout(issue, paths)),
  }
}

/** Of one of the files, or of a folder around it. */
const isAbout = ({ file }: BundleIssue, paths: Paths): boolean =>
  file !== undefined && (paths.has(file) || [...paths].some((path) => path.startsWith(`${file}/`)))
const textsOf = ({ files }: FolderTexts): ReadonlyMap<string, string> =>
  new Map(files.map(({ path, text }) => [path, text]))
const issuesOf = (held: readonly Held[]): readonly BundleIssue[] =>
  held.flatMap(({ issues }) => issues)
