import type { Readable } from 'node:stream';
/**
 * Reads lines of JSON. Nothing longer than `most` bytes is ever held, and no name in it can reach a prototype.
 *
 * @param refused is told once why nothing more is read
 */
export declare function readLines(stream: Readable, most: number, read: (value: unknown, bytes: number) => void, refused: (why: string) => void): void;
