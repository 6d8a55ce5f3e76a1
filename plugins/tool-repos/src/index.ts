import { definePlugin, err } from '@amodal/sdk'
import { RepoUnavailable, toolRepoErrors } from './errors.ts'
import { ToolRepos } from './tokens.ts'

const unavailable = async () => err(RepoUnavailable('the repositories of tools are not built yet'))

/** Git repositories for the tools of each tenant. */
export const toolRepos = definePlugin({
  name: 'tool-repos',
  version: '0.1.0',
  provides: [ToolRepos],
  errors: toolRepoErrors,
  setup({ provide }) {
    provide(ToolRepos, () => ({
      head: unavailable,
      checkout: unavailable,
      folders: unavailable,
      pin: unavailable,
    }))
  },
})

export default toolRepos
