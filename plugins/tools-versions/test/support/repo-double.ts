import { createHash, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolRepos, type RepoSource } from '@amodal/plugin-tool-repos/tokens'
import { definePlugin, err, ok, type Failure, type Plugin } from '@amodal/sdk'

type Files = Readonly<Record<string, string>>

const missing = (code: string, message: string): Failure => ({ code, message, status: 404 })

/** Repositories in memory: commits of folders with files, branches and tags. */
export class RepoDouble {
  readonly tags = new Map<string, string>()
  readonly #commits = new Map<string, Files>()
  readonly #heads = new Map<string, string>()
  /** Waited for before a head is read. */
  gate: Promise<void> = Promise.resolve()

  /** Commits files, such as `check_order/tool.json`, to a branch. @returns the commit */
  commit(tenant: string, branch: string, files: Files, repo: RepoSource['repo'] = 'team'): string {
    const commit = createHash('sha1').update(randomUUID()).digest('hex')
    this.#commits.set(commit, files)
    this.#heads.set(`${tenant}/${repo}/${branch}`, commit)
    return commit
  }

  plugin(): Plugin {
    const repos = this.repos()
    return definePlugin({
      name: 'repo-double',
      version: '1.0.0',
      provides: [ToolRepos],
      setup({ provide }) {
        provide(ToolRepos, () => repos)
      },
    })
  }

  repos(): ToolRepos {
    return {
      head: async ({ tenant, repo }, branch) => {
        await this.gate
        const commit = this.#heads.get(`${tenant}/${repo}/${branch}`)
        return commit === undefined
          ? err(missing('REPO_BRANCH_NOT_FOUND', `there is no branch ${branch}`))
          : ok(commit)
      },
      checkout: async (_source, commit, folder, to) => {
        const files = Object.entries(this.#commits.get(commit) ?? {}).filter(([path]) =>
          path.startsWith(`${folder}/`),
        )
        if (files.length === 0)
          return err(missing('REPO_FOLDER_NOT_FOUND', `there is no folder ${folder}`))
        await mkdir(to)
        const paths = files.map(([path]) => path.slice(folder.length + 1))
        for (const [at, [, content]] of files.entries()) {
          const file = join(to, paths[at] ?? '')
          await mkdir(dirname(file), { recursive: true })
          await writeFile(file, content)
        }
        return ok(paths)
      },
      folders: async (_source, commit) =>
        ok([
          ...new Set(
            Object.keys(this.#commits.get(commit) ?? {}).map((path) => path.split('/')[0] ?? ''),
          ),
        ]),
      pin: async (_source, commit, tag) => {
        const pinned = this.tags.get(tag)
        if (pinned !== undefined && pinned !== commit)
          return err({ code: 'REPO_TAG_TAKEN', message: `${tag} is taken`, status: 409 })
        this.tags.set(tag, commit)
        return ok(undefined)
      },
    }
  }
}
