import type { Readable } from './readable.ts';
/** A text that was found in an encoding, and where each of its characters is written. */
export interface Piece extends Readable {
    /** Whether more of it may come, behind the end of what was read. */
    readonly open: boolean;
    /** Of its signs. */
    readonly bits: number;
}
type Add = (piece: Piece) => void;
/**
 * Finds texts that are written in a text in base64, base32, hexadecimal or as bits, whatever stands between the signs,
 * wherever they begin and in which direction. Each sign is read a fixed number of times.
 */
export declare class BitReader {
    #private;
    /**
     * @param least characters that a text has to have
     * @param atEnd told of each text that has fewer so far and may go on
     */
    pieces(text: string, least: number, atEnd?: Add): readonly Piece[];
}
export {};
