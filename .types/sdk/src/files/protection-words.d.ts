/**
 * Whether a name sounds like a protection. One that nothing reads protects nobody, and whoever wrote it counts on it.
 *
 * @example soundsLikeProtection('deniedTools') // true
 */
export declare const soundsLikeProtection: (name: string) => boolean;
