import java.io.FileInputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.flavours.PDFAFlavour;

/** Validates PDF files as PDF/A-3b. Prints one line for each error, and exits with 1 when there is one. */
public class Validate {
  public static void main(String[] files) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    boolean isValid = true;
    for (String file : files) {
      try (var stream = new FileInputStream(file);
          var parser = Foundries.defaultInstance().createParser(stream, PDFAFlavour.PDFA_3_B);
          var validator = Foundries.defaultInstance().createValidator(PDFAFlavour.PDFA_3_B, false)) {
        var result = validator.validate(parser);
        result.getTestAssertions().forEach(each -> System.out.println(file + ": " + each.getRuleId() + " " + each.getMessage()));
        if (!result.isCompliant()) System.out.println(file + ": not PDF/A-3b");
        isValid = isValid && result.isCompliant();
        System.err.println(file + ": " + result.getTotalAssertions() + " assertions of PDF/A-3b");
      }
    }
    System.exit(isValid ? 0 : 1);
  }
}
