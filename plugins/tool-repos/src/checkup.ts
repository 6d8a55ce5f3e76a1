import type { Checkup } from '@amodal/sdk'
import type { Git } from './git/git.ts'
import type { Repositories } from './repositories.ts'

/**
 * For `amodal doctor`: whether git can be used. That it cannot is wrong where repositories are;
 * an agent without versioned tools does not need it.
 */
export async function gitCheckup(git: Git, repositories: Repositories): Promise<Checkup> {
  const version = await git.version()
  if (version.ok)
    return { title: `Repositories of tools: git ${version.value}`, ok: true, lines: [] }
  const { message, fix } = version.error
  const isNeeded = await repositories.areThere()
  return {
    title: `Repositories of tools: ${message}`,
    ok: !isNeeded,
    lines: [
      ...(fix === undefined ? [] : [fix]),
      isNeeded
        ? 'until then, clients of git and the publication of tools get REPO_GIT_UNUSABLE'
        : 'only versioned tools need it, and there is no repository yet',
    ],
  }
}
