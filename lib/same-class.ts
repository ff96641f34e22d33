type ErrorClass = abstract new (...args: never[]) => Error

/**
 * `instanceof` knows errors of the class by this name. Next's bundles each have a copy of it, and share over globalThis what
 * throws them: an error that a client of another bundle threw would be nobody's.
 */
export function sameClass(of: ErrorClass, name: string): void {
  const mark = Symbol.for(`drydock ${name}`)
  Object.defineProperty(of.prototype, mark, { value: true })
  Object.defineProperty(of, Symbol.hasInstance, {
    value(this: ErrorClass, error: unknown): boolean {
      // A class that extends it is known as classes are.
      if (this !== of) return Function.prototype[Symbol.hasInstance].call(this, error)
      return typeof error === 'object' && error !== null && mark in error
    },
  })
}
