import { readdir, readFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { hashOf, messageOf, type AgentBundle, type BundleFile, type Logger } from '@amodal/sdk'
import { errorsIn, issueLine, Issues } from '@amodal/sdk/files'
import {
  bundleWith,
  type ChosenFiles,
  type RunFiles,
  type RunOpening,
} from '@amodal/plugin-loop/tokens'
import { readInstructions, readKnowledge, readSkills } from '@amodal/plugin-repo-files/tokens'
import { isAdmin } from './admin-session.ts'

/** Where the instructions and skills of the admin agent stand, in plain sight. */
export const OWN_FOLDER = join(import.meta.dirname, '../../agent')

/** Files of an admin agent, and characters of one. */
const MOST_FILES = 200
const MOST_CHARS = 200_000

/**
 * Gives runs of the admin agent its own instructions, skills and knowledge in place of those of the
 * agent that it works on. Models, limits and guards are the agent's.
 */
export class AdminFiles implements RunFiles {
  readonly #log: Logger
  /** By the agent's files, then by the text of the admin agent's. */
  readonly #bundles = new WeakMap<AgentBundle, Map<string, AgentBundle>>()
  readonly #admin = new WeakSet<AgentBundle>()

  constructor(log: Logger) {
    this.#log = log
  }

  async choose(bundle: AgentBundle, opening: RunOpening): Promise<ChosenFiles> {
    return { bundle: isAdmin(opening) ? await this.#adminBundle(bundle) : bundle }
  }

  /** Whether these are the files of an admin agent. */
  has(bundle: AgentBundle): boolean {
    return this.#admin.has(bundle)
  }

  async #adminBundle(bundle: AgentBundle): Promise<AgentBundle> {
    const files = await this.#files(bundle)
    const hash = hashOf({ agent: bundle.hash, files: files.map(({ path, text }) => [path, text]) })
    const known = this.#bundles.get(bundle) ?? new Map<string, AgentBundle>()
    this.#bundles.set(bundle, known)
    const admin = known.get(hash) ?? bundleOf(bundle, files, hash)
    known.set(hash, admin)
    this.#admin.add(admin)
    return admin
  }

  /** Read at each run: whoever works on them sees what they change. */
  async #files(bundle: AgentBundle): Promise<readonly BundleFile[]> {
    const named = bundle.manifest.raw['adminAgent']
    if (typeof named !== 'string') return readFiles(OWN_FOLDER)
    const folder = isAbsolute(named) ? named : resolve(bundle.root ?? '.', named)
    try {
      const files = await readFiles(folder)
      const issues = new Issues()
      if (readInstructions(files, issues)) return files
      throw new Error(
        errorsIn(issues.sorted()).map(issueLine).join('; ') || 'it has no agents/main/AGENT.md',
      )
    } catch (cause) {
      this.#log.warn('admin_agent_unread', { folder, message: messageOf(cause) })
      return readFiles(OWN_FOLDER)
    }
  }
}

function bundleOf(bundle: AgentBundle, files: readonly BundleFile[], hash: string): AgentBundle {
  const issues = new Issues()
  const admin = bundleWith(bundle, {
    hash,
    instructions: readInstructions(files, issues),
    skills: readSkills(files, issues),
    knowledge: readKnowledge(files, issues),
    stores: [],
  })
  // Roles say what users of the agent may do with it. Who works on its files is decided at the
  // route, and the tools of these sessions are the admin agent's alone.
  const { roles: _, 'roles.view': __, ...parts } = admin.parts
  return Object.freeze({ ...admin, parts })
}

async function readFiles(folder: string): Promise<readonly BundleFile[]> {
  const names = (await readdir(folder, { recursive: true }))
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /^(agents\/main(\/AGENT)?|skills\/.+|knowledge\/.+)\.md$/i.test(name))
    .sort()
  if (names.length > MOST_FILES) throw new Error(`it has more than ${MOST_FILES} files`)
  return Promise.all(
    names.map(async (path) => ({
      path,
      text: (await readFile(join(folder, path), 'utf8')).slice(0, MOST_CHARS),
    })),
  )
}
