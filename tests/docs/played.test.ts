import { describe, expect, test } from 'vitest'
import { allPages } from './pages.ts'
import { isPlayed, play } from './play.ts'

describe('what a page tells its reader to do works, in its order', () => {
  test.each(
    allPages()
      .filter(isPlayed)
      .map((page) => [page.path, page] as const),
  )(
    '%s',
    async (_, page) => {
      expect(await play(page)).toEqual([])
    },
    240_000,
  )
})
