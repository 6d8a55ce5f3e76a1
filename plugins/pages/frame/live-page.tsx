import * as React from 'react'
import { Component, useEffect, useSyncExternalStore, type ReactNode } from 'react'
import { port } from './port.ts'

type Params = Readonly<Record<string, string | number | boolean>>
type PageComponent = (props: Params) => ReactNode

interface Shown {
  readonly hash: string
  readonly component: PageComponent | undefined
  readonly params: Params
  /** Another one where state cannot be preserved. */
  readonly epoch: number
}

/** The page that was loaded last. */
class Loaded {
  #shown: Shown = { hash: '', component: undefined, params: {}, epoch: 0 }
  #listeners = new Set<() => void>()
  #received: unknown
  #shape = ''
  #count = 0
  #params: Params = {}
  #nextShape = ''
  #hasFailed = false

  get shown(): Shown {
    return this.#shown
  }
  /** Loads so far: effects and memoised values of an older one are not reused. */
  get count(): number {
    return this.#count
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  begin(shape: string, params: Params): number {
    this.#received = undefined
    this.#params = params
    this.#nextShape = shape
    return ++this.#count
  }

  receive(component: unknown): void {
    this.#received = component
  }

  failed(): void {
    this.#hasFailed = true
  }

  /** @returns whether there is something to show */
  finish(begun: number, hash: string): boolean {
    if (begun !== this.#count) return true // another one is being loaded
    const component = componentOf(this.#received)
    if (!component) return false
    const isOther = this.#shape !== this.#nextShape || this.#hasFailed
    this.#hasFailed = false
    this.#shape = this.#nextShape
    const epoch = isOther ? this.#shown.epoch + 1 : this.#shown.epoch
    this.#shown = { hash, component, params: this.#params, epoch }
    for (const listener of this.#listeners) listener()
    return true
  }
}

export const loaded = new Loaded()

/** A function is called in the place of the one before it, so that its state lives on. */
function componentOf(value: unknown): PageComponent | undefined {
  if (typeof value === 'function' && !isClass(value)) return value as PageComponent
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return undefined
  const Wrapped = value as unknown as React.ComponentType<Params>
  return (params) => <Wrapped {...params} />
}

const isClass = (value: object): boolean =>
  'prototype' in value &&
  typeof value.prototype === 'object' &&
  value.prototype !== null &&
  'isReactComponent' in value.prototype

type Effect = typeof React.useEffect
const fresh = (deps: React.DependencyList | undefined): React.DependencyList | undefined =>
  deps && [...deps, loaded.count]
const effect =
  (hook: Effect): Effect =>
  (run, deps) =>
    hook(run, fresh(deps))

/** React for pages: after an edit effects run once more, and memoised values are computed anew. */
export const pageReact: typeof React = {
  ...React,
  useEffect: effect(React.useEffect),
  useLayoutEffect: effect(React.useLayoutEffect),
  useInsertionEffect: effect(React.useInsertionEffect),
  useMemo: (compute, deps) => React.useMemo(compute, fresh(deps) ?? deps),
  useCallback: (callback, deps) => React.useCallback(callback, fresh(deps) ?? deps),
}

export function LivePage({ onFailed }: { readonly onFailed: (cause: unknown) => void }): ReactNode {
  const { component, epoch, hash } = useSyncExternalStore(loaded.subscribe, () => loaded.shown)
  if (!component) return null
  return (
    <Boundary key={epoch} hash={hash} onFailed={onFailed}>
      <Body hash={hash} />
    </Boundary>
  )
}

function Body({ hash }: { readonly hash: string }): ReactNode {
  const { component, params } = useSyncExternalStore(loaded.subscribe, () => loaded.shown)
  useEffect(() => port.send({ op: 'shown', hash }), [hash])
  return component?.(params)
}

interface BoundaryProps {
  readonly hash: string
  readonly onFailed: (cause: unknown) => void
  readonly children: ReactNode
}

/** What throws while it is drawn takes nothing else along. */
class Boundary extends Component<BoundaryProps, { readonly failed: string | undefined }> {
  override state: { readonly failed: string | undefined } = { failed: undefined }

  static getDerivedStateFromError(cause: unknown): { readonly failed: string } {
    return { failed: cause instanceof Error ? cause.message : String(cause) }
  }

  override componentDidCatch(cause: unknown): void {
    loaded.failed()
    this.props.onFailed(cause)
  }

  override render(): ReactNode {
    const { failed } = this.state
    return failed === undefined ? (
      this.props.children
    ) : (
      <p className="page-failed" role="alert">
        This page cannot be shown: {failed}
      </p>
    )
  }
}
