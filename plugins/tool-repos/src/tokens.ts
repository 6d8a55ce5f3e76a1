import { slot, type Failure, type Result, type TenantId } from '@amodal/sdk'

/** The repository of a tenant: `team` for its own tools, `main` for tools shared in it. */
export interface RepoSource {
  readonly tenant: TenantId
  readonly repo: 'team' | 'main'
}

/** The git repositories in which tenants keep the source code of their tools. */
export interface ToolRepos {
  /** The commit at the head of a branch; `REPO_BRANCH_NOT_FOUND` where there is none. */
  head(source: RepoSource, branch: string, signal: AbortSignal): Promise<Result<string, Failure>>
  /**
   * Writes the files of a folder at a commit into the new folder `to`, and returns their paths in
   * it. Links, submodules and special files are refused; number and size are bounded.
   */
  checkout(
    source: RepoSource,
    commit: string,
    folder: string,
    to: string,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>>
  /** The folders in the root of a commit: each tool is one. */
  folders(
    source: RepoSource,
    commit: string,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>>
  /** Preserves a commit under a tag that no push may change, e.g. `tools/check_order/1.2.0`. */
  pin(
    source: RepoSource,
    commit: string,
    tag: string,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
}
export const ToolRepos = slot.kernel<ToolRepos>('tool-repos')
