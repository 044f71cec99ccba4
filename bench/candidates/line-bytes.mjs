/**
 * The minimum that JavaScript has to do to add a message, if prompts are copies of bytes: write its
 * line to one growing buffer. It keeps no strings and makes no prompts, so only the cost of adding is
 * compared.
 */

const LINE_BREAK = 0x0a

export const lineBytes = {
  name: "JavaScript that stores the line's bytes",
  start: () => new LineBytes(),
}

class LineBytes {
  /** Every line with a line break after it. */
  lines = Buffer.allocUnsafeSlow(1 << 16)
  end = 0
  /** Where each line starts. */
  starts = []
  /** A line up to its content, by sender and addressee. */
  openings = new Map()

  add({ from, to, content }) {
    const opening = this.opening(from, to)
    this.reserve(opening.length + content.length * 3 + 1)
    this.starts.push(this.end)
    this.lines.set(opening, this.end)
    this.end += opening.length
    this.end += this.lines.utf8Write(content, this.end)
    this.lines[this.end++] = LINE_BREAK
  }

  opening(from, to) {
    let openings = this.openings.get(from)
    if (!openings) this.openings.set(from, (openings = new Map()))
    let opening = openings.get(to)
    if (!opening) openings.set(to, (opening = Buffer.from(`- ${from} -> ${to || 'all'}: `)))
    return opening
  }

  reserve(bytes) {
    if (this.end + bytes <= this.lines.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.lines.length * 2, this.end + bytes))
    this.lines.copy(larger, 0, 0, this.end)
    this.lines = larger
  }
}
