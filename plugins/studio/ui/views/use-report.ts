import { useCallback, useEffect, useRef, useState } from 'react'
import { problemOf } from '../model/server.ts'

export interface Report<T> {
  readonly value: T | undefined
  readonly problem: string | undefined
  readonly refresh: () => void
}

/** Something that is asked for once, and again when somebody wants it anew. */
export function useReport<T>(ask: () => Promise<T>): Report<T> {
  const [value, setValue] = useState<T>()
  const [problem, setProblem] = useState<string>()
  // What was asked for last is what is shown, in whichever order the answers come.
  const last = useRef(0)
  const refresh = useCallback(() => {
    let isOver = false
    const number = ++last.current
    ask().then(
      (found) => {
        if (isOver || number !== last.current) return
        setValue(found)
        setProblem(undefined)
      },
      (cause: unknown) => {
        if (!isOver && number === last.current) setProblem(problemOf(cause))
      },
    )
    return () => {
      isOver = true
    }
  }, [ask])
  useEffect(refresh, [refresh])
  return { value, problem, refresh: () => void refresh() }
}
