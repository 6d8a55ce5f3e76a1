type Listener = (cause: unknown) => void

let listener: Listener = () => undefined

/**
 * React hands errors of event handlers to the function that is `reportError` when it is loaded. Of
 * those that its own script throws, an `error` event would say nothing but "Script error".
 */
globalThis.reportError = (cause) => {
  listener(cause)
}

/** Imported before React. */
export function onReactError(next: Listener): void {
  listener = next
}
