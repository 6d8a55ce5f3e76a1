/** A module that is loaded when it is needed. */
export type Load<T> = () => Promise<{ readonly default: T }>
