// Browsers start no workers from file://. So that the search works from the disk too, this runs the
// worker's script in a frame, and passes messages on. (Material asks for a script of this name.)
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super()
      const waiting = []
      const frame = document.createElement("iframe")
      const source = new URL(address, document.baseURI).href
      let inside
      this.postMessage = message => (inside ? inside.dispatchEvent(new MessageEvent("message", { data: message })) : waiting.push(message))
      this.terminate = () => frame.remove()
      frame.hidden = true
      frame.addEventListener("load", () => {
        if (inside) return
        const script = frame.contentDocument.createElement("script")
        frame.contentWindow.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
        script.src = source
        script.addEventListener("load", () => {
          inside = frame.contentWindow
          waiting.splice(0).forEach(this.postMessage)
        })
        frame.contentDocument.body.append(script)
      })
      ;(document.body || document.documentElement).append(frame)
    }
  }
  window.Worker = window.IFrameWorker
}
