/** The error with which a call is refused. A call that succeeds, or fails with another error, fails the test. */
export const refusalOf = <E extends Error>(
  errorClass: abstract new (...args: never[]) => E,
  call: Promise<unknown>,
): Promise<E> =>
  call.then(
    () => Promise.reject(new Error('the call was not refused')),
    (error: unknown) => {
      if (error instanceof errorClass) return error
      throw error
    },
  )
