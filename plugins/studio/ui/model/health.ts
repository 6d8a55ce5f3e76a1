import { whenPageIs } from '@amodal/sdk/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Server } from './server.ts'

/** ms between two looks that nothing gave rise to. */
const EVERY_MS = 30_000
/** ms for which changes are gathered before health is asked for again. */
const SETTLE_MS = 200

export interface HealthShown {
  readonly problems: readonly string[]
  readonly refresh: () => void
}

/**
 * What is wrong with the agent, such as a file that cannot be read: asked for now and then, and
 * after each change of a file.
 */
export function useHealth(server: Server, isLost: boolean): HealthShown {
  const [problems, setProblems] = useState<readonly string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const read = useCallback(async (): Promise<void> => {
    clearTimeout(timer.current)
    // it is away, or this key may not know
    const health = await server.health().catch(() => undefined)
    if (health) setProblems(health.problems ?? [])
    timer.current = setTimeout(() => {
      if (document.visibilityState === 'visible') void read()
    }, EVERY_MS)
  }, [server])

  useEffect(() => {
    if (isLost) return
    const leave = whenPageIs('visible', () => void read())
    return () => {
      leave()
      clearTimeout(timer.current)
    }
  }, [read, isLost])

  const refresh = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void read(), SETTLE_MS)
  }, [read])
  return { problems, refresh }
}
