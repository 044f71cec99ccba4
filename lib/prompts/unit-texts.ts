/** Texts in UTF-16, one after another in memory that native code reads. */
const { allocUnsafeSlow } = Buffer

/** Up to this many units are joined before they are written: texts one by one take three times as long. */
export const MOST_UNITS_JOINED = 8192
/** A longer text is written by itself. */
export const MOST_UNITS_OF_SHORT = 1024
/** More memory than this is not kept between calls: enough for a prompt of the default budget. */
const MOST_BYTES_KEPT = 2 ** 21

/** Where a text begins, and its length. */
const COLUMNS = 2

export class UnitTexts {
  /** A row for each text that got one. */
  rows = new Float64Array(64 * COLUMNS)
  count = 0
  #memory: Buffer = allocUnsafeSlow(0)
  /** In units. */
  #end = 0
  #joined = ''

  /** Adds a text. Returns where it begins, in units. */
  add(text: string): number {
    const isLong = text.length > MOST_UNITS_OF_SHORT
    if (isLong) this.#flush()
    const start = this.#end + this.#joined.length
    this.#joined += text
    if (isLong || this.#joined.length > MOST_UNITS_JOINED) this.#flush()
    return start
  }

  addRow(start: number, length: number) {
    const at = this.count * COLUMNS
    if (at === this.rows.length) {
      const larger = new Float64Array(at * 2)
      larger.set(this.rows)
      this.rows = larger
    }
    this.setRow(this.count, start, length)
    this.count += 1
  }

  startOf(nth: number) {
    return this.rows[nth * COLUMNS] ?? 0
  }

  lengthOf(nth: number) {
    return this.rows[nth * COLUMNS + 1] ?? 0
  }

  setRow(nth: number, start: number, length: number) {
    this.rows[nth * COLUMNS] = start
    this.rows[nth * COLUMNS + 1] = length
  }

  /** The memory with all texts. No caller may see it. */
  seal(): Buffer {
    this.#flush()
    return this.#memory
  }

  #flush() {
    const end = this.#end + this.#joined.length
    if (end * 2 > this.#memory.length) {
      const larger = allocUnsafeSlow(Math.max(end * 2, this.#memory.length * 2))
      this.#memory.copy(larger, 0, 0, this.#end * 2)
      this.#memory = larger
    }
    this.#memory.write(this.#joined, this.#end * 2, 'utf16le')
    this.#end = end
    this.#joined = ''
  }

  clear() {
    this.count = 0
    this.#end = 0
    this.#joined = ''
    if (this.#memory.length > MOST_BYTES_KEPT) this.#memory = allocUnsafeSlow(0)
    if (this.rows.byteLength > MOST_BYTES_KEPT) this.rows = new Float64Array(64 * COLUMNS)
  }
}

let free: UnitTexts | undefined

/** Memory that nobody else uses: a getter may make another prompt. */
export const takeTexts = (): UnitTexts => {
  const texts = free ?? new UnitTexts()
  free = undefined
  return texts
}

/** Leaves it for the next call. */
export const leaveTexts = (texts: UnitTexts) => {
  texts.clear()
  free = texts
}
