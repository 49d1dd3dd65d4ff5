import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Runs TLC on the modules S.tla of folders, each in classes of its own, and prints exit codes. */
public class Check {
  public static void main(String[] args) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String p : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(new File(p).toURI().toURL());
    }
    PrintStream console = System.out;
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    for (String dir : args) {
      PrintStream out = new PrintStream(new File(dir, "out"));
      System.setOut(out);
      System.setErr(out);
      try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), platform)) {
        Thread.currentThread().setContextClassLoader(loader);
        Class<?> type = loader.loadClass("tlc2.TLC");
        Object tlc = type.getDeclaredConstructor().newInstance();
        String[] options = {"-workers", "1", "-lncheck", "final", "-noGenerateSpecTE", "-metadir",
          dir + "/states", "-config", dir + "/S.cfg", dir + "/S.tla"};
        Object code = -1;
        if ((Boolean) type.getMethod("handleParameters", String[].class)
            .invoke(tlc, (Object) options)) {
          Class<?> resolver = loader.loadClass("util.FilenameToStream");
          Object files = loader.loadClass("util.SimpleFilenameToStream")
              .getDeclaredConstructor(String.class).newInstance(dir);
          type.getMethod("setResolver", resolver).invoke(tlc, files);
          code = type.getMethod("process").invoke(tlc);
        }
        out.flush();
        console.println("code " + code);
      }
      out.close();
    }
    System.exit(0);
  }
}
