import type { Finding } from './review.ts';
/** Stands in the place of a text that may not leave. */
export declare const BLOCKED = "[withheld: this held restricted data]";
/** A text after what was found in it: marks in their places, or nothing but a notice. */
export declare function withhold(text: string, findings: readonly Finding[]): string;
/** A part of a text, with marks in place of what was found in it. */
export declare function redacted(text: string, findings: readonly Finding[], from: number, upto: number): string;
